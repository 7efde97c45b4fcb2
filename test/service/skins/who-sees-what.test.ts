import { describe, expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import type { Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const CALLERS = ['anonymous', 'owner key A', 'owner key B', 'other user', 'operator'] as const;
const KINDS = ['public', 'unlisted', 'private', 'deleted'] as const;
type CallerName = (typeof CALLERS)[number];
type Kind = (typeof KINDS)[number];

/** A skin of ann's, and how it is known. */
interface Target {
  readonly uuid: string;
  readonly id: number;
  readonly name: string;
  readonly value: string;
  readonly png: Buffer;
}

/** What a caller gets of it through one route: `seen` or `-`, or how a duplicate is answered. */
type Look = (caller: TestCaller, target: Target) => Promise<string>;

const found = ({ status }: Heard) => (status < 400 ? 'seen' : '-');
const has = ({ status, body }: Heard, { uuid }: Target) =>
  status === 401 ? '401' : body.skins?.some((skin) => skin.uuid === uuid) ? 'seen' : '-';

/** Whether an answer of any shape names the skin. */
const namesOne = ({ bytes }: Heard, uuid: string) => (bytes.toString('utf8').includes(uuid) ? 'seen' : '-');

/** Every answer that is not `seen` says the same of a skin that is hidden as of one that never was. */
async function hiddenAs(code: string, heard: Heard): Promise<string> {
  if (heard.status < 400) return 'seen';
  expect([heard.status, heard.body.errors?.[0]?.code ?? code]).toEqual([404, code]);
  return '-';
}

const LOOKS = {
  list: async (caller, target) => has(await caller.get('/v2/skins?size=128'), target),
  search: async (caller, target) => has(await caller.get(`/v2/skins?filter=${target.name}`), target),
  get: async (caller, { uuid }) => await hiddenAs('skin_not_found', await caller.get(`/v2/skins/${uuid}`)),
  texture: async (caller, { uuid }) =>
    await hiddenAs('skin_not_found', await caller.get(`/v2/skins/${uuid}/texture`)),
  'me list': async (caller, target) => has(await caller.get('/v2/me/skins?size=128'), target),
  'me search': async (caller, target) => has(await caller.get(`/v2/me/skins?filter=${target.name}`), target),
  'v1 uuid': async (caller, { uuid }) => found(await caller.get(`/get/uuid/${uuid}`)),
  'v1 id': async (caller, { id }) => found(await caller.get(`/get/id/${id}`)),
  latest: async (caller, target) => has(await caller.get('/v2/skins/latest?size=128'), target),
  popular: async (caller, target) => has(await caller.get('/v2/skins/popular?size=128'), target),
  'popular search': async (caller, { name, uuid }) =>
    namesOne(await caller.get(`/v2/skins/popular?filter=${name}`), uuid),
  random: async (caller, target) => has(await caller.get('/v2/skins/random?size=128'), target),
  'short id': async (caller, { uuid }) =>
    await hiddenAs('skin_not_found', await caller.get(`/v2/skins/${uuid.slice(0, 8)}`)),
  'v1 picture': async (caller, { uuid }) => found(await caller.get(`/render/${uuid}/head`)),
  'v1 picture by id': async (caller, { id }) => found(await caller.get(`/render/${id}/skin`)),
  'v1 texture': async (caller, { id }) => found(await caller.get(`/render/texture/${id}`)),
  'v1 list': async (caller, { uuid }) => namesOne(await caller.get('/get/list?size=64'), uuid),
  'v1 page': async (caller, { uuid }) => namesOne(await caller.get('/get/list/1'), uuid),
  'v1 search': async (caller, { name, uuid }) =>
    namesOne(await caller.get(`/get/list/1?filter=${name}`), uuid),
  'v1 start': async (caller, { uuid }) => namesOne(await caller.get('/get/list/start'), uuid),
  'v1 random': async (caller, { uuid }) => namesOne(await caller.get('/get/random'), uuid),
  stats: async (caller, { uuid }) => namesOne(await caller.get('/v2/stats'), uuid),
  'v1 stats': async (caller, { uuid }) => namesOne(await caller.get('/get/stats'), uuid),
  checkOnly: async (caller, { png }) => {
    const { status, body } = await caller.upload('/v2/queue?checkOnly=true', png);
    if (status === 400) return body.errors[0]?.code === 'no_duplicate' ? 'none' : '?';
    return 'known';
  },
  duplicate: async (caller, { png, value }) => {
    const { status, body } = await caller.upload('/v2/generate?timeout=30', png);
    expect(status).toBe(200);
    const isSame = body.skin?.texture.data.value === value;
    expect(body.skin?.duplicate).toBe(isSame);
    return isSame ? 'known' : 'new';
  },
} as const satisfies Record<string, Look>;
type LookName = keyof typeof LOOKS;

/**
 * What each caller gets, in the order of CALLERS. The last two rows ask for the same picture anew, as public:
 * what nobody but ann has answers nobody but ann. Ann's own request publishes what was private: it comes last.
 */
const TABLE: Record<Kind, Record<LookName, string>> = {
  public: {
    list: 'seen seen seen seen seen',
    search: 'seen seen seen seen seen',
    get: 'seen seen seen seen seen',
    texture: 'seen seen seen seen seen',
    'me list': '401 seen seen - -',
    'me search': '401 seen seen - -',
    'v1 uuid': 'seen seen seen seen seen',
    'v1 id': 'seen seen seen seen seen',
    latest: 'seen seen seen seen seen',
    popular: 'seen seen seen seen seen',
    'popular search': 'seen seen seen seen seen',
    random: 'seen seen seen seen seen',
    'v1 picture': 'seen seen seen seen seen',
    'v1 picture by id': 'seen seen seen seen seen',
    'v1 texture': 'seen seen seen seen seen',
    'v1 list': 'seen seen seen seen seen',
    'v1 page': 'seen seen seen seen seen',
    'v1 search': 'seen seen seen seen seen',
    'v1 start': 'seen seen seen seen seen',
    'v1 random': 'seen seen seen seen seen',
    'short id': 'seen seen seen seen seen',
    stats: '- - - - -',
    'v1 stats': '- - - - -',
    checkOnly: 'known known known known known',
    duplicate: 'known known known known known',
  },
  unlisted: {
    list: '- - - - -',
    search: '- - - - -',
    get: 'seen seen seen seen seen',
    texture: 'seen seen seen seen seen',
    'me list': '401 seen seen - -',
    'me search': '401 seen seen - -',
    'v1 uuid': 'seen seen seen seen seen',
    'v1 id': '- seen seen - -',
    latest: '- - - - -',
    popular: '- - - - -',
    'popular search': '- - - - -',
    random: '- - - - -',
    'v1 picture': 'seen seen seen seen seen',
    'v1 picture by id': '- seen seen - -',
    'v1 texture': '- seen seen - -',
    'v1 list': '- - - - -',
    'v1 page': '- - - - -',
    'v1 search': '- - - - -',
    'v1 start': '- - - - -',
    'v1 random': '- - - - -',
    'short id': '- seen seen - -',
    stats: '- - - - -',
    'v1 stats': '- - - - -',
    checkOnly: 'known known known known known',
    duplicate: 'known known known known known',
  },
  private: {
    list: '- - - - -',
    search: '- - - - -',
    get: '- seen seen - -',
    texture: '- seen seen - -',
    'me list': '401 seen seen - -',
    'me search': '401 seen seen - -',
    'v1 uuid': '- seen seen - -',
    'v1 id': '- seen seen - -',
    latest: '- - - - -',
    popular: '- - - - -',
    'popular search': '- - - - -',
    random: '- - - - -',
    'v1 picture': '- - - - -',
    'v1 picture by id': '- - - - -',
    'v1 texture': '- - - - -',
    'v1 list': '- - - - -',
    'v1 page': '- - - - -',
    'v1 search': '- - - - -',
    'v1 start': '- - - - -',
    'v1 random': '- - - - -',
    'short id': '- seen seen - -',
    stats: '- - - - -',
    'v1 stats': '- - - - -',
    checkOnly: 'none known known none none',
    duplicate: 'new known known new new',
  },
  deleted: {
    list: '- - - - -',
    search: '- - - - -',
    get: '- - - - -',
    texture: '- - - - -',
    'me list': '401 - - - -',
    'me search': '401 - - - -',
    'v1 uuid': '- - - - -',
    'v1 id': '- - - - -',
    latest: '- - - - -',
    popular: '- - - - -',
    'popular search': '- - - - -',
    random: '- - - - -',
    'v1 picture': '- - - - -',
    'v1 picture by id': '- - - - -',
    'v1 texture': '- - - - -',
    'v1 list': '- - - - -',
    'v1 page': '- - - - -',
    'v1 search': '- - - - -',
    'v1 start': '- - - - -',
    'v1 random': '- - - - -',
    'short id': '- - - - -',
    stats: '- - - - -',
    'v1 stats': '- - - - -',
    checkOnly: 'none none none none none',
    duplicate: 'new new new new new',
  },
};

interface Scene {
  readonly server: ServerUnderTest;
  readonly target: Target;
  readonly callers: Record<CallerName, TestCaller>;
}

async function scene(kind: Kind): Promise<Scene> {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const callers = {
    anonymous: server.anonymous(),
    'owner key A': ann,
    'owner key B': await server.user('ann'),
    'other user': bob,
    operator: server.owner,
  };
  const name = `one-${kind}`;
  const png = skinPng(1);
  const visibility = kind === 'deleted' ? 'public' : kind;
  const { uuid, texture } = (await ann.upload('/v2/generate', png, { name, visibility })).body.skin!;
  const { db } = await openOwnStore(server.dataDir);
  const { id } = await db.selectFrom('skins').select('id').where('uuid', '=', uuid).executeTakeFirstOrThrow();
  if (kind === 'deleted') expect((await ann.send('DELETE', `/v2/skins/${uuid}`)).status).toBe(200);
  return { server, callers, target: { uuid, id, name, png, value: texture.data.value } };
}

const READS = Object.keys(LOOKS).filter((look) => look !== 'checkOnly' && look !== 'duplicate') as LookName[];

describe.each(KINDS)('Of a %s skin', (kind) => {
  test('each caller sees through each route what the table says', async () => {
    const { callers, target } = await scene(kind);
    const seen: Partial<Record<LookName, string>> = {};
    for (const look of [...READS, 'checkOnly' as const])
      seen[look] = (await each(CALLERS, (name) => LOOKS[look](callers[name], target))).join(' ');
    const { duplicate: _, ...expected } = TABLE[kind];
    expect(seen).toEqual(expected);
  });

  test.each(CALLERS)('the same picture, asked for by %s, is answered as the table says', async (name) => {
    const { callers, target } = await scene(kind);
    const expected = TABLE[kind].duplicate.split(' ')[CALLERS.indexOf(name)];
    expect(await LOOKS.duplicate(callers[name], target)).toBe(expected);
  });
});

async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
