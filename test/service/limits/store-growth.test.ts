import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { addCape, capePng } from '../../support/server/drawn-capes.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';

guardAgainstLeaks();

const QUEUE = '/v2/queue';
const skin = (n: number) => encodePng(drawSkin(n));

async function rows({ dataDir }: ServerUnderTest, table: 'textures' | 'jobs' | 'skins'): Promise<number> {
  const { db } = await openOwnStore(dataDir);
  const found = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return found.count;
}

async function statusOf(caller: TestCaller, n: number): Promise<number> {
  return (await caller.upload(QUEUE, skin(n))).status;
}

describe('A refused request writes nothing', () => {
  test('when its caller has no slot left, or asks too often', async () => {
    const server = await runServerWithPlans({ few: { queue: 2, per_minute: 2 } }, { workers: 0 });
    const { few } = server.users;
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push(await statusOf(few, n));
    expect(statuses).toEqual([202, 202, 429, 429, 429, 429]);
    expect([await rows(server, 'textures'), await rows(server, 'jobs')]).toEqual([2, 2]);
  });

  test('in version 1 while another request of its caller is under way', async () => {
    const server = await runServer({ workers: 0 });
    const first = server
      .anonymous()
      .upload('/generate/upload', skin(1))
      .catch(() => undefined);
    await expect.poll(async () => await rows(server, 'jobs')).toBe(1);
    expect((await server.anonymous().upload('/generate/upload', skin(2))).status).toBe(429);
    expect(await rows(server, 'textures')).toBe(1);
    await server.close({ limit: 0 });
    await first;
  });

  test('when a batch has more items than its caller has slots', async () => {
    const server = await runServerWithPlans(
      { few: { queue: 1, batch_generation: true as unknown as number } },
      { workers: 0 },
    );
    const batch = [1, 2, 3].map((n) => ({
      url: `data:image/png;base64,${Buffer.from(skin(n)).toString('base64')}`,
    }));
    const { body } = await server.users.few.json(`${QUEUE}/batch`, { batch });
    expect(body.batch?.map(({ success }) => success)).toEqual([true, false, false]);
    expect(await rows(server, 'textures')).toBe(1);
  });
});

test('A cape that is refused because its name is taken leaves no picture', async () => {
  const server = await runServer({ workers: 0 });
  await addCape(server, 'taken');
  const refused = await server.owner.upload('/v2/account/capes', capePng(2), { alias: 'taken' });
  expectRefusal(refused, 'invalid_request');
  expect(await rows(server, 'textures')).toBe(1);
});

describe('Callers without a key', () => {
  test('share an hourly limit; key holders and known pictures continue', async () => {
    const server = await runServer({ anonymousPerHour: 2 });
    const [ann, bob] = [server.anonymous('127.0.0.2'), server.anonymous('127.0.0.3')];
    expect([await statusOf(ann, 1), await statusOf(bob, 2)]).toEqual([202, 202]);
    const refused = await server.anonymous('127.0.0.4').upload(QUEUE, skin(3));
    expectRefusal(refused, 'anonymous_limit');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    expect(refused.body.rateLimit?.next.relative).toBeGreaterThan(3_500_000);
    expect(await rows(server, 'textures')).toBe(2);
    await expect.poll(async () => await rows(server, 'skins')).toBe(2);
    expect(await statusOf(server.anonymous('127.0.0.4'), 1)).toBe(200);
    expect(await statusOf(server.owner, 3)).toBe(202);
  });

  test('are counted by all processes of the store together', async () => {
    const one = await runServer({ anonymousPerHour: 1 });
    const other = await runServer({ anonymousPerHour: 1, dataDir: one.dataDir });
    expect(await statusOf(one.anonymous('127.0.0.2'), 1)).toBe(202);
    expectRefusal(await other.anonymous('127.0.0.3').upload(QUEUE, skin(2)), 'anonymous_limit');
  });
});

describe('A known picture under new names', () => {
  test('is one public record for all callers without a key, who read the names that they sent', async () => {
    const server = await runServer();
    const first = await server.anonymous('127.0.0.2').upload('/v2/generate', skin(1), { name: 'first' });
    const uuid = first.body.skin?.uuid;
    for (const name of ['second', 'third']) {
      const { body } = await server.anonymous('127.0.0.3').upload(QUEUE, skin(1), { name });
      expect(body.skin).toMatchObject({ uuid, name, duplicate: true, visibility: 'public' });
      expect((await server.anonymous('127.0.0.3').get(`${QUEUE}/${body.job?.id}`)).body.skin?.uuid).toBe(
        uuid,
      );
    }
    expect((await server.anonymous().get(`/v2/skins/${uuid}`)).body.skin?.name).toBe('first');
    expect(await rows(server, 'skins')).toBe(1);
  });

  test('is one record for each user, and one for all anonymous callers', async () => {
    const server = await runServer();
    await server.owner.upload('/v2/generate', skin(1), { name: 'mine' });
    for (const name of ['first', 'second']) await server.anonymous().upload(QUEUE, skin(1), { name });
    await server.owner.upload(QUEUE, skin(1), { name: 'mine too' });
    const names = (await server.anonymous().get('/v2/skins')).body.skins?.map(({ name }) => name);
    expect(names).toEqual(['mine too', 'first', 'mine']);
  });

  test('counts as a generation for a caller without a key as often as it adds a record', async () => {
    const server = await runServer({ anonymousPerHour: 3 });
    const ann = server.anonymous('127.0.0.2');
    await ann.upload('/v2/generate', skin(1));
    const unlisted = async (name: string, caller: TestCaller) =>
      await caller.upload(QUEUE, skin(1), { name, visibility: 'unlisted' });
    expect([(await unlisted('a', ann)).status, (await unlisted('b', ann)).status]).toEqual([200, 200]);
    expectRefusal(await unlisted('c', ann), 'anonymous_limit');
    expect((await unlisted('b', ann)).status).toBe(200); // there already
    expect((await ann.upload(QUEUE, skin(1), { name: 'c' })).status).toBe(200); // the common record
    expect((await unlisted('c', server.owner)).status).toBe(200);
    expect((await ann.get('/v2/queue')).body.jobs).toHaveLength(5);
    expect(await rows(server, 'skins')).toBe(4);
  });

  test('hidden by an operator is no longer seen by anyone who got it', async () => {
    const server = await runServer();
    const { body } = await server.anonymous('127.0.0.2').upload('/v2/generate', skin(1));
    const other = server.anonymous('127.0.0.3');
    const job = (await other.upload(QUEUE, skin(1), { name: 'other' })).body.job?.id;
    await server.owner.patch(`/v2/account/skins/${body.skin?.uuid}`, { hidden: true });
    expect((await other.get(`${QUEUE}/${job}`)).body.skin).toBeUndefined();
  });
});

describe('A store at its ceiling', () => {
  test('takes nothing new, says so, and still answers reads and requests for known skins', async () => {
    const publicUrl = 'http://skins.example'; // signed into the data: elsewhere it is not the same
    const before = await runServer({ publicUrl });
    expect(await statusOf(before.owner, 1)).toBe(202);
    await expect.poll(async () => await rows(before, 'skins')).toBe(1);
    expect(await statusOf(before.anonymous(), 1)).toBe(200);
    const uuid = (await before.owner.get('/v2/me/skins')).body.skins?.[0]?.uuid;
    await before.close();

    const { dataDir } = before;
    const server = await runServer({ publicUrl, dataDir, maxStoreBytes: 1 });
    const caller = server.anonymous();
    expectRefusal(await caller.upload(QUEUE, skin(2)), 'store_full');
    expectRefusal(await caller.upload('/v2/generate', skin(2)), 'store_full');
    const old = await caller.upload('/generate/upload', skin(2));
    expect([old.status, (old.body as unknown as { errorCode: string }).errorCode]).toEqual([
      503,
      'store_full',
    ]);
    const ready = await caller.get('/ready');
    expect([ready.status, ready.body]).toMatchObject([503, { status: 'not_ready', reasons: ['store_full'] }]);
    expect((await caller.get('/health')).status).toBe(200);
    expect((await caller.get(`/v2/skins/${uuid}`)).status).toBe(200);
    const owner = new TestCaller(server.url, { key: before.key, dataDir });
    expect([await statusOf(caller, 1), await statusOf(owner, 1)]).toEqual([200, 200]);
    expect(await rows(server, 'textures')).toBe(1);
  });

  test('keeps no records of known skins under new names, and no jobs', async () => {
    const publicUrl = 'http://skins.example';
    const before = await runServer({ publicUrl });
    await before.anonymous().upload('/v2/generate', skin(1));
    await before.owner.upload('/v2/generate', skin(1));
    await before.close();

    const { dataDir } = before;
    const server = await runServer({ publicUrl, dataDir, maxStoreBytes: 1 });
    const kept = [await rows(server, 'skins'), await rows(server, 'jobs')];
    const { body } = await server.anonymous().upload(QUEUE, skin(1), { name: 'again' });
    expect([body.job?.status, body.skin?.name]).toEqual(['completed', 'again']);
    expectRefusal(await server.anonymous().upload(QUEUE, skin(1), { visibility: 'unlisted' }), 'store_full');
    const owner = new TestCaller(server.url, { key: before.key, dataDir });
    expect(await statusOf(owner, 1)).toBe(200);
    const inputs: Record<string, string>[] = [{ name: 'mine' }, { callback: 'http://93.184.216.34/' }];
    for (const input of inputs) expectRefusal(await owner.upload(QUEUE, skin(1), input), 'store_full');
    expect([await rows(server, 'skins'), await rows(server, 'jobs')]).toEqual(kept);
  });

  test('accepts no new set or like, but allows deleting them', async () => {
    const before = await runServer();
    const uuid = String((await before.anonymous().upload('/v2/generate', skin(1))).body.skin?.uuid);
    const set = (await before.owner.json('/v2/sets', { name: 'Set', skins: [uuid] })).body.set!;
    await before.close();

    const { dataDir } = before;
    const server = await runServer({ dataDir, maxStoreBytes: 1 });
    const owner = new TestCaller(server.url, { key: before.key, dataDir });
    const path = `/v2/sets/${set.uuid}`;
    const refused = {
      'a set': await owner.json('/v2/sets', { name: 'Other', skins: [uuid] }),
      'skins of a set': await owner.patch(path, { skins: [uuid] }),
      'a skin more of a set': await owner.patch(path, { add: [uuid] }),
      'a name of a set': await owner.patch(path, { name: 'Other' }),
      'a like': await owner.send('POST', `/v2/skins/${uuid}/interactions/likes`),
    };
    for (const heard of Object.values(refused)) expectRefusal(heard, 'store_full');
    const taken = [await owner.patch(path, { remove: [uuid] }), await owner.send('DELETE', path)];
    expect(taken.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('counts what is in use, not what deleted rows have left free in the file', async () => {
    const { dataDir } = await runServer({ workers: 0 });
    const store = await openOwnStore(dataDir);
    const empty = store.usedBytes();
    const png = new Uint8Array(1_000_000);
    await store.db
      .insertInto('textures')
      .values({ hash: 'a', width: 1, height: 1, png, created_at: 0 })
      .execute();
    expect(store.usedBytes()).toBeGreaterThan(empty + 900_000);
    await store.db.deleteFrom('textures').execute();
    expect(store.usedBytes()).toBeLessThan(empty + 100_000);
  });
});

describe('A web page of another origin', () => {
  const from = (origin: string) => ({ origin });
  const url = `data:image/png;base64,${Buffer.from(skin(1)).toString('base64')}`;
  const ask = async (caller: TestCaller, path: string, origin: string) =>
    await caller.json(path, { url }, from(origin));

  test('cannot generate without a key on any route, and can still read', async () => {
    const server = await runServer();
    const stranger = server.anonymous();
    for (const origin of ['https://evil.example', 'null']) {
      for (const path of [QUEUE, '/v2/generate']) {
        expectRefusal(await ask(stranger, path, origin), 'insufficient_grants');
      }
      expect((await ask(stranger, '/generate/url', origin)).status).toBe(403);
      expect((await stranger.get('/v2/skins', from(origin))).status).toBe(200);
    }
    expect([await rows(server, 'jobs'), await rows(server, 'textures')]).toEqual([0, 0]);
  });

  test('cannot generate without a key, unless the operator allows it or it is the service’s own', async () => {
    const allowed = 'https://skins.example.org';
    const server = await runServer({ allowedOrigins: [allowed] });
    expect((await ask(server.anonymous(), QUEUE, allowed)).status).toBe(202);
    expect((await ask(server.anonymous(), QUEUE, server.url)).status).toBeLessThan(203);
    expect((await ask(server.owner, QUEUE, 'https://evil.example')).status).toBeLessThan(203);
    expectRefusal(await ask(server.anonymous(), QUEUE, 'https://evil.example'), 'insufficient_grants');
    const open = await runServer({ allowedOrigins: ['*'] });
    expect((await ask(open.anonymous(), QUEUE, 'null')).status).toBe(202);
  });
});

test('Only the newest of a user’s revoked keys are kept', async () => {
  const { dataDir, owner } = await runServer();
  const { db } = await openOwnStore(dataDir);
  const [key] = await db.selectFrom('api_keys').selectAll().execute();
  for (let number = 0; number < 150; number++) {
    const revoked = { created_at: number, revoked_at: number, hash: `hash ${number}`, id: `key ${number}` };
    await db
      .insertInto('api_keys')
      .values({ ...key!, ...revoked })
      .execute();
  }
  expect((await owner.json('/v2/account/keys', { name: 'next' })).status).toBe(201);
  const left = await db.selectFrom('api_keys').select('id').where('revoked_at', 'is not', null).execute();
  expect([
    left.length,
    left.some(({ id }) => id === 'key 50'),
    left.some(({ id }) => id === 'key 49'),
  ]).toEqual([100, true, false]);
});

test('The documents say for every table what keeps it from growing', async () => {
  const { db } = await openOwnStore((await runServer()).dataDir);
  const tables = (await db.introspection.getTables()).map(({ name }) => name);
  const text = await readFile('docs/public-site.md', 'utf8');
  const missing = tables.filter((name) => !text.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});
