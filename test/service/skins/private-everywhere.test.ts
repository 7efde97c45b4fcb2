import { expect, test } from 'vitest';
import { PAGE_ROUTES } from '../../../src/pages/page-routes.ts';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import { addressOf, type Samples } from '../../support/pages/addresses.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const NAME = 'Secretname';

/** Everything by which the skin may be asked for. */
interface PrivateSkin {
  readonly samples: Samples;
  /** Texts that no answer to others may hold. */
  readonly secrets: readonly string[];
}

async function makePrivate({ dataDir }: ServerUnderTest, ann: TestCaller): Promise<PrivateSkin> {
  const fields = { name: NAME, visibility: 'private' };
  const { body } = await ann.upload('/v2/generate', skinPng(1), fields);
  const { skin } = body;
  const job = (await ann.upload('/v2/queue', skinPng(1), fields)).body.job?.id ?? '';
  const { db } = await openOwnStore(dataDir);
  const { id } = await db.selectFrom('skins').select('id').executeTakeFirstOrThrow();
  const { uuid = '', texture } = skin ?? {};
  // Everyone sees the set, but not this skin in it.
  const set = (await ann.json('/v2/sets', { name: 'Ours', skins: [uuid] })).body.set?.uuid ?? '';
  return {
    samples: {
      uuid,
      set,
      id: String(id),
      jobId: job,
      page: '1',
      name: NAME,
      view: 'front',
      hash: '0'.repeat(64),
      user: NAME,
      size: '64',
      file: `${set}.zip`,
      digest: `${'0'.repeat(40)}.zip`,
    },
    secrets: [uuid, NAME, String(texture?.data.value), String(texture?.hash.skin)],
  };
}

/** They would not end; what they tell is tested where their events are. */
const STREAMS = new Set(['/v2/queue/events', '/ui/jobs/events']);
/** Their addresses repeat the name that was asked for. */
const ABOUT_NAMES = /^\/validate\/|^\/v2\/account\/users\/|^\/generate\/user/;

const API = ROUTES.filter(
  ({ method, paths: [path] }) => method === 'GET' && !STREAMS.has(path) && !ABOUT_NAMES.test(path),
);
const PAGES = PAGE_ROUTES.filter(({ method, path }) => method === 'GET' && !STREAMS.has(path));

/** The addresses of the API and of the pages that may tell of a skin, with searches and short ids. */
function addresses({ samples }: PrivateSkin): {
  readonly api: readonly string[];
  readonly pages: readonly string[];
} {
  const { uuid = '' } = samples;
  const whole = API.flatMap(({ paths }) => paths.map((path) => addressOf(path, samples)));
  const lists = ['/v2/skins', '/v2/skins/popular', '/v2/skins/random', '/v2/me/skins'];
  const pictured = whole.map((path) => (path.endsWith('.png') ? `${path}?size=64` : path));
  return {
    api: [
      ...pictured,
      ...lists.flatMap((path) => [`${path}?size=128`]),
      `/v2/skins?filter=${NAME}`,
      `/v2/skins/popular?filter=${NAME}`,
      `/v2/skins?after=${uuid}`,
      `/v2/skins/${uuid.slice(0, 8)}`,
      `/get/list?filter=${NAME}`,
    ],
    pages: [
      ...PAGES.map(({ path }) => addressOf(path, samples)),
      `/ui/skins/${uuid}/pictures/front?size=64`,
      `/ui/gallery?filter=${NAME}`,
      '/',
    ],
  };
}

function tellsOf(text: string, { secrets }: PrivateSkin, address: string): string[] {
  // An address that was not found may be named; what is at it may not.
  return secrets.filter((secret) => !address.includes(secret) && text.includes(secret));
}

test('A private skin is at no address of the API for anyone else', async () => {
  const server = await runServer();
  const ann = await userWithPlan(server, 'ann');
  const skin = await makePrivate(server, ann);
  const { api } = addresses(skin);
  const callers = [server.anonymous(), await server.user('bob'), server.owner];
  for (const [n, caller] of callers.entries()) {
    for (const address of sampled(api, 3, n)) {
      const { status, bytes, headers } = await caller.get(address);
      expect([address, tellsOf(bytes.toString('latin1'), skin, address)]).toEqual([address, []]);
      if (address.startsWith(`/v2/skins/${skin.samples['uuid']}`))
        expect([address, status >= 400 || String(headers['content-type'])]).not.toEqual([
          address,
          'image/png',
        ]);
      expect(JSON.stringify(headers)).not.toContain(NAME);
    }
  }
});

test('No page shows a private skin to anyone but its owner, operators included', async () => {
  const server = await runServer();
  const ann = await userWithPlan(server, 'ann');
  const skin = await makePrivate(server, ann);
  const bob = await server.owner.json('/v2/account/keys', { user: 'bob' });
  const { pages } = addresses(skin);
  for (const [n, key] of [server.key, bob.body.key?.secret, undefined].entries()) {
    const visitor = new PlainBrowser(server.url);
    if (key !== undefined) await visitor.signIn(key);
    for (const address of sampled(pages, 3, n)) {
      const { status, text, headers } = await visitor.open(address);
      expect([address, tellsOf(text, skin, address)]).toEqual([address, []]);
      if (!address.includes(skin.samples['uuid']!)) continue;
      expect([address, status < 300]).toEqual([address, false]);
      expect(headers.get('content-type')).not.toBe('image/png');
    }
  }
});

test('No shared cache keeps answers about a private skin', async () => {
  const server = await runServer();
  const ann = await userWithPlan(server, 'ann');
  const skin = await makePrivate(server, ann);
  const key = await ann.json('/v2/account/keys', {});
  const visitor = new PlainBrowser(server.url);
  await visitor.signIn(key.body.key?.secret);
  const { api, pages } = addresses(skin);
  const caches: [string, string | null][] = [];
  for (const address of sampled(api, 3)) {
    const { bytes, headers } = await ann.get(address);
    const isPicture = headers['content-type'] === 'image/png' && address.startsWith('/v2/skins/');
    const isAbout = isPicture || tellsOf(bytes.toString('latin1'), skin, address).length > 0;
    if (isAbout) caches.push([address, String(headers['cache-control'])]);
  }
  for (const address of sampled(pages, 3)) {
    const { text, headers } = await visitor.open(address);
    const isAbout = address.includes(skin.samples['uuid']!) || tellsOf(text, skin, address).length > 0;
    if (isAbout) caches.push([address, headers.get('cache-control')]);
  }
  expect(caches.filter(([address]) => !address.startsWith('/ui'))).not.toHaveLength(0);
  const isKept = ([address, cache]: (typeof caches)[number]) =>
    !address.startsWith('/ui/assets/') &&
    (!/private|no-store/.test(cache ?? '') || /public/.test(cache ?? ''));
  expect(caches.filter(isKept)).toEqual([]);
});
