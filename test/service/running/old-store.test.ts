import { join } from 'node:path';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { hashApiKey, makeApiKey } from '../../../src/server/service/callers/api-key.ts';
import { NEWEST_SCHEMA } from '../../../src/server/store/migrate.ts';
import { firstSchema } from '../../../src/server/store/migrations/0001-first-schema.ts';
import { idempotencyKeys } from '../../../src/server/store/migrations/0002-idempotency-keys.ts';
import { usersAndKeys } from '../../../src/server/store/migrations/0003-users-and-keys.ts';
import { keyScopes } from '../../../src/server/store/migrations/0012-key-scopes.ts';
import type { Tables } from '../../../src/server/store/schema/tables.ts';
import { openSqliteFile } from '../../../src/server/store/sqlite.ts';
import { pixelHash } from '../../../src/skin/pixel-hash.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import {
  giveSigningKey,
  guardAgainstLeaks,
  openOwnStore,
  runServer,
} from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** Tables as the second schema had them, without the types of today. */
type Rows = Record<string, Record<string, unknown>[]>;

const OWNER_ID = 'a'.repeat(32);
const BOB_ID = 'b'.repeat(32);
const KEY = makeApiKey();
const BOBS_KEY = makeApiKey();
/** A day after the last version that wrote this schema, and long enough ago to be in no window. */
const THEN = Date.UTC(2026, 0, 1);
const KEPT = '11111111-1111-4111-8111-111111111111';
const WAITING = '22222222-2222-4222-8222-222222222222';
const CUT_OFF = '33333333-3333-4333-8333-333333333333';
const FAILED = '44444444-4444-4444-8444-444444444444';

const uuidOf = (n: number) => String(n).repeat(32);
const textureOf = (n: number) => pixelHash(drawSkin(n));

function key(userId: string, secret: string, n: number) {
  const hash = hashApiKey(secret);
  const times = { created_at: THEN, last_used_at: null, revoked_at: null };
  return {
    id: String(n).repeat(24),
    user_id: userId,
    name: 'a key',
    hash,
    last4: secret.slice(-4),
    ...times,
  };
}

function data(n: number, identity: string) {
  const by = { generator_version: '0.1.0', account: 'fingerprint', server: 'skinsmith', worker: '0' };
  const signed = { value: `value-${n}`, signature: `signature-${n}`, url: `http://skins.example/${n}` };
  const when = { created_at: THEN, duration: 40 };
  return { identity, texture_hash: textureOf(n), variant: 'classic', ...signed, ...by, ...when };
}

function skin(n: number, owner: string, identity: string, visibility: string) {
  return {
    id: n,
    uuid: uuidOf(n),
    owner,
    identity,
    name: `Skin ${n}`,
    visibility,
    views: n,
    created_at: THEN,
  };
}

function job(uuid: string, n: number, changes: Record<string, unknown>) {
  const what = { request_key: uuid, identity: `id-${n}`, texture_hash: textureOf(n), variant: 'classic' };
  const how = { visibility: 'public', name: null, attempts: 0, run_at: THEN, created_at: Date.now() };
  return { uuid, owner: `user:${OWNER_ID}`, ...what, ...how, ...changes };
}

const ROWS: Rows = {
  users: [
    { id: OWNER_ID, name: 'owner', plan: 'owner', role: 'operator', created_at: THEN },
    { id: BOB_ID, name: 'bob', plan: 'free', role: 'user', created_at: THEN },
  ],
  api_keys: [key(OWNER_ID, KEY, 1), key(BOB_ID, BOBS_KEY, 2)],
  usage: [{ owner: `user:${OWNER_ID}`, minute: 1, minute_used: 3, hour: 1, hour_used: 4 }],
  textures: [1, 2, 3, 4].map((n) => ({
    hash: textureOf(n),
    width: 64,
    height: 64,
    png: new Uint8Array(encodePng(drawSkin(n))),
    created_at: THEN,
  })),
  texture_data: [data(1, 'id-1'), data(2, 'id-2')],
  skins: [
    skin(1, `user:${OWNER_ID}`, 'id-1', 'public'),
    skin(2, `user:${BOB_ID}`, 'id-1', 'unlisted'),
    skin(3, `user:${OWNER_ID}`, 'id-2', 'private'),
  ],
  jobs: [
    job(KEPT, 1, { status: 'completed', skin_uuid: uuidOf(1), finished_at: Date.now() }),
    job(WAITING, 3, { status: 'waiting' }),
    job(CUT_OFF, 4, { status: 'processing', attempts: 1, lease_owner: 'gone', lease_until: 1 }),
    job(FAILED, 2, {
      status: 'failed',
      error_code: 'job_failed',
      error_message: 'It did not work.',
      finished_at: Date.now(),
    }),
  ],
  idempotency_keys: [{ owner: `user:${OWNER_ID}`, key: 'the same', job_id: 1 }],
};

/** A data folder as the last version with the second schema left it. */
async function oldFolder(): Promise<string> {
  const dataDir = await ownFolder();
  await giveSigningKey(dataDir);
  const file = await openSqliteFile(join(dataDir, 'skinsmith.db'));
  const db = new Kysely<Tables>({ dialect: file.dialect });
  await db.schema
    .createTable('meta')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await firstSchema(db);
  await idempotencyKeys(db);
  await db.insertInto('meta').values({ key: 'schema', value: '2' }).execute();
  for (const [table, rows] of Object.entries(ROWS)) {
    await db
      .insertInto(table as keyof Tables)
      .values(rows as never)
      .execute();
  }
  await db.destroy();
  return dataDir;
}

test('Every row of a store of the second schema is there after it was brought up to date', async () => {
  const dataDir = await oldFolder();
  const { db } = await openOwnStore(dataDir);
  const version = db.selectFrom('meta').select('value').where('key', '=', 'schema');
  expect(await version.execute()).toEqual([{ value: String(NEWEST_SCHEMA) }]);
  for (const [table, rows] of Object.entries(ROWS)) {
    if (table === 'usage') continue; // counts of an hour at most: they begin anew
    const found = await db
      .selectFrom(table as keyof Tables)
      .selectAll()
      .execute();
    // A private skin's data is private to its owner now, under a name that says so.
    const expected = rows.map(({ identity, ...rest }) => expect.objectContaining(rest));
    expect([table, found.length]).toEqual([table, rows.length]);
    expect(found).toEqual(expect.arrayContaining(expected));
  }
});

test('A service goes on with it: keys hold, skins and jobs are there, and what waited is done', async () => {
  const { url, key } = await runServer({ dataDir: await oldFolder() });
  expect(key).toBeUndefined();
  const [owner, bob] = [KEY, BOBS_KEY].map((secret) => new TestCaller(url, { key: secret })) as [
    TestCaller,
    TestCaller,
  ];
  expect([(await owner.get('/v2/me')).body.name, (await bob.get('/v2/me')).body.name]).toEqual([
    'owner',
    'bob',
  ]);
  for (const n of [1, 3]) {
    const { body } = await owner.get(`/v2/skins/${uuidOf(n)}`);
    expect(body.skin).toMatchObject({
      name: `Skin ${n}`,
      views: n,
      texture: { data: { value: `value-${n === 1 ? 1 : 2}` } },
    });
  }
  expect((await bob.get(`/v2/skins/${uuidOf(2)}`)).status).toBe(200);
  expect((await bob.get(`/v2/skins/${uuidOf(3)}`)).status).toBe(404);
  expect((await owner.get('/v2/skins?filter=skin')).body.skins?.map(({ uuid }) => uuid)).toEqual([uuidOf(1)]);
  const jobs = await poll(
    () => owner.get('/v2/queue'),
    ({ body }) => body.jobs?.every(({ status }) => status === 'completed' || status === 'failed') ?? false,
  );
  expect(Object.fromEntries(jobs.body.jobs!.map(({ id, status }) => [id, status]))).toEqual({
    [KEPT]: 'completed',
    [WAITING]: 'completed',
    [CUT_OFF]: 'completed',
    [FAILED]: 'failed',
  });
});

test('Keys keep what they could do, but those of web pages lose what manages keys and the service', async () => {
  const dataDir = await ownFolder();
  const file = await openSqliteFile(join(dataDir, 'skinsmith.db'));
  const db = new Kysely<Tables>({ dialect: file.dialect });
  await firstSchema(db);
  await usersAndKeys(db);
  const page = { allowed_origins: '["https://skins.example"]' };
  const rows = [
    key(OWNER_ID, KEY, 1),
    { ...key(OWNER_ID, makeApiKey(), 2), allowed_ips: '["127.0.0.1"]' },
    { ...key(OWNER_ID, makeApiKey(), 3), ...page },
    key(BOB_ID, BOBS_KEY, 4),
    { ...key(BOB_ID, makeApiKey(), 5), ...page },
  ];
  await db
    .insertInto('users')
    .values(ROWS['users'] as never)
    .execute();
  await db
    .insertInto('api_keys')
    .values(rows.map((row) => ({ allowed_ips: '[]', allowed_origins: '[]', ...row })) as never)
    .execute();
  await keyScopes(db);
  const found = await db.selectFrom('api_keys').select('scopes').orderBy('id').execute();
  await db.destroy();
  const forPages = ['read', 'generate', 'skins'];
  const ofUser = [...forPages, 'account'];
  const all = [...ofUser, 'operator'];
  expect(found.map(({ scopes }) => JSON.parse(scopes))).toEqual([all, all, forPages, ofUser, forPages]);
});
