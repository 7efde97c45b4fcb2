import { describe, expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { type Heard, TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

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

/** Who leaks what is hidden is dangerous; what everyone sees, or nobody any more, is read through some routes in `npm test`. */
function readsOf(kind: Kind): readonly LookName[] {
  const all = [...READS, 'checkOnly' as const];
  return kind === 'public' || kind === 'deleted' ? sampled(all, 3, KINDS.indexOf(kind)) : all;
}

describe.each(KINDS)('Of a %s skin', (kind) => {
  test('each caller sees through each route what the table says', async () => {
    const { callers, target } = await scene(kind);
    const seen: Partial<Record<LookName, string>> = {};
    for (const look of readsOf(kind))
      seen[look] = (await each(CALLERS, (name) => LOOKS[look](callers[name], target))).join(' ');
    const expected = readsOf(kind).map((look) => [look, TABLE[kind][look]]);
    expect(seen).toEqual(Object.fromEntries(expected));
  });

  const askers = kind === 'private' ? CALLERS : sampled(CALLERS, 3, KINDS.indexOf(kind));
  test.each(askers)('a request for the same picture by %s is answered as the table says', async (name) => {
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

const ALL_CALLERS = ['anonymous', 'other user', 'operator', 'own key without read', 'own key'] as const;
const OWNED = ['public', 'unlisted', 'private'] as const;
type Owned = (typeof OWNED)[number];
type Noun = 'skin' | 'set';

/** Statuses, in the order of ALL_CALLERS. */
const ACTS: Record<string, (caller: TestCaller, noun: Noun, uuid: string) => Promise<Heard>> = {
  get: async (caller, noun, uuid) => await caller.get(`/v2/${noun}s/${uuid}`),
  report: async (caller, noun, uuid) => await caller.json(`/v2/${noun}s/${uuid}/report`, { reason: 'other' }),
  change: async (caller, noun, uuid) =>
    await caller.patch(`/v2/${noun}s/${uuid}`, { name: `Changed ${uuid}`.slice(0, 40) }),
  'hide as operator': async (caller, noun, uuid) =>
    await caller.patch(`/v2/account/${noun}s/${uuid}`, { hidden: false }),
  'delete as operator': async (caller, noun, uuid) =>
    await caller.send('DELETE', `/v2/account/${noun}s/${uuid}`),
  delete: async (caller, noun, uuid) => await caller.send('DELETE', `/v2/${noun}s/${uuid}`),
};

const ACTIONS: Record<Owned, Record<string, string>> = {
  public: {
    get: '200 200 200 200 200',
    report: '200 200 200 200 200',
    change: '401 404 404 200 200',
    'hide as operator': '401 403 200 403 403',
    'delete as operator': '401 403 200 403 403',
    delete: '401 404 404 200 200',
  },
  unlisted: {
    get: '200 200 200 200 200',
    report: '200 200 200 200 200',
    change: '401 404 404 200 200',
    'hide as operator': '401 403 200 403 403',
    'delete as operator': '401 403 200 403 403',
    delete: '401 404 404 200 200',
  },
  private: {
    get: '404 404 404 404 200',
    report: '404 404 404 404 200',
    change: '401 404 404 403 200',
    'hide as operator': '401 403 404 403 403',
    'delete as operator': '401 403 404 403 403',
    delete: '401 404 404 200 200',
  },
};

async function ownedScene() {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const { secret } = (await server.owner.json('/v2/account/keys', { user: 'ann', scopes: ['skins'] })).body
    .key!;
  const callers: Record<(typeof ALL_CALLERS)[number], TestCaller> = {
    anonymous: server.anonymous(),
    'other user': bob,
    operator: server.owner,
    'own key without read': new TestCaller(server.url, { key: secret, dataDir: server.dataDir }),
    'own key': ann,
  };
  let made = 0;
  const make = async (noun: Noun, visibility: Owned): Promise<string> => {
    const name = `${noun} ${visibility} ${++made}`;
    if (noun === 'set') return (await ann.json('/v2/sets', { name, visibility, skins: [] })).body.set!.uuid;
    return (await ann.upload('/v2/generate', skinPng(1), { name, visibility })).body.skin!.uuid;
  };
  const bobsKey = (await server.owner.json('/v2/account/keys', { user: 'bob' })).body.key?.secret;
  return { callers, make, bobsKey };
}

describe.each(['skin', 'set'] as const)('With a %s', (noun) => {
  test('each caller may do what the table says', async () => {
    const { callers, make } = await ownedScene();
    for (const visibility of OWNED) {
      const done: Record<string, string> = {};
      let uuid = await make(noun, visibility);
      for (const [what, act] of Object.entries(ACTS)) {
        const statuses = await each(ALL_CALLERS, async (name) => {
          const { status } = await act(callers[name], noun, uuid);
          if (status === 200 && what.startsWith('delete')) uuid = await make(noun, visibility);
          return status;
        });
        done[what] = statuses.join(' ');
      }
      expect([visibility, done]).toEqual([visibility, ACTIONS[visibility]]);
    }
  });
});

test('A key without the scope read learns no names of sets that it does not see', async () => {
  const { callers, make } = await ownedScene();
  const key = callers['own key without read'];
  const own = callers['own key'];
  await own.json('/v2/sets', { name: 'Secret Team', visibility: 'private', skins: [] });
  await own.json('/v2/sets', { name: 'Hidden Team', visibility: 'unlisted', skins: [] });
  await callers['other user'].json('/v2/sets', { name: 'Other Team', visibility: 'public', skins: [] });
  const skins = [await make('skin', 'public')];
  const said = async (name: string) =>
    (await key.json('/v2/sets', { name, skins })).body.errors?.map(({ message }) => message);
  for (const name of ['secret team', 'hidden team', 'other team'])
    expect(await said(name)).toEqual([`The name ${name.replace(' ', '-')} is taken.`]);
  for (const [reference, status] of [
    ['secret-team', 404],
    ['hidden-team', 404],
    ['nothing', 404],
  ] as const) {
    expect((await key.patch(`/v2/sets/${reference}`, { remove: [] })).status).toBe(status);
    expect((await key.send('DELETE', `/v2/sets/${reference}`)).status).toBe(status);
  }
});

test('The likes of a deleted account are taken back', async () => {
  const { callers, make, bobsKey } = await ownedScene();
  const uuid = await make('skin', 'public');
  const liker = callers['other user'];
  const likes = async () => (await callers.anonymous.get(`/v2/skins/${uuid}`)).body.skin?.likes;
  expect((await liker.send('POST', `/v2/skins/${uuid}/interactions/likes`)).status).toBe(204);
  expect(await likes()).toBe(1);
  const browser = new PlainBrowser(callers.anonymous.url);
  await browser.signIn(bobsKey);
  await browser.open('/ui/account/delete', { form: { confirm: 'bob', shared: 'leave' } });
  expect(await likes()).toBe(0);
});
