import { expect, test } from 'vitest';
import { findKey, insertKey } from '../../../src/server/store/api-keys.ts';
import { inTransaction, type OpenStore } from '../../../src/server/store/db.ts';
import type { ApiKeyRow } from '../../../src/server/store/schema/tables.ts';
import { insertUser } from '../../../src/server/store/sessions.ts';
import { findSkin } from '../../../src/server/store/skins.ts';
import { openStore } from '../../../src/server/store/sqlite.ts';
import {
  flushUsage,
  hourOf,
  noteGeneration,
  noteKeyUse,
  noteView,
  pruneViews,
} from '../../../src/server/store/usage.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { QUEUES } from '../../support/server/queue-nodes.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { keepData, record } from '../../support/server/skin-records.ts';

const MINUTE = 60_000;

async function addKey({ db }: OpenStore): Promise<ApiKeyRow> {
  const user = {
    id: 'u',
    name: 'ann',
    plan: 'free',
    role: 'user',
    created_at: 0,
    disabled_at: null,
    shows_name: 0,
  } as const;
  const key: ApiKeyRow = {
    ...{ id: 'k', user_id: 'u', name: 'ci', hash: 'h', last4: 'abcd', created_at: 0 },
    ...{ last_used_at: null, revoked_at: null, v2_compat: 0, scopes: '[]' },
    ...{ allowed_ips: '[]', allowed_origins: '[]', allowed_agents: '[]', generations: 0 },
  };
  await insertUser(db, user);
  await insertKey(db, key);
  return key;
}

test('The last use of a key is noted once a minute', async () => {
  const store = await openOwnStore(await ownFolder());
  const key = await addKey(store);
  const lastUse = async (now: number) => {
    noteKeyUse(store.db, key, now);
    await flushUsage(store.db);
    return (await findKey(store.db, 'k'))?.key.last_used_at;
  };
  expect([await lastUse(1), await lastUse(MINUTE), await lastUse(MINUTE + 1)]).toEqual([1, 1, MINUTE + 1]);
});

test('Generations of a key add up, however they are written', async () => {
  const store = await openOwnStore(await ownFolder());
  const { id } = await addKey(store);
  for (const count of [2, 1]) {
    for (let n = 0; n < count; n++) noteGeneration(store.db, id);
    await flushUsage(store.db);
  }
  expect((await findKey(store.db, id))?.key.generations).toBe(3);
});

test('A caller who asks for a write of usage waits for the one under way', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  const { id, uuid } = await record(db);
  const other = Promise.withResolvers<void>();
  const transaction = inTransaction(db, async () => await other.promise);
  noteView(db, { skin_id: id, viewer: 'ann', hour: 1 });
  const first = flushUsage(db); // has to wait for the transaction
  const second = flushUsage(db).then(async () => (await findSkin(db, uuid))?.views);
  await new Promise(setImmediate);
  other.resolve();
  expect(await second).toBe(1);
  await Promise.all([transaction, first]);
});

test('A transaction does not wait for a write that waits for the end of the transaction', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  const { id } = await record(db);
  noteView(db, { skin_id: id, viewer: 'ann', hour: 1 });
  let outside: Promise<void> | undefined;
  await inTransaction(db, async (tx) => {
    outside = flushUsage(db);
    await flushUsage(tx);
  });
  await outside;
});

test.each(QUEUES)(
  'In %s, views of one viewer in an hour count once, also when they were written apart',
  async (_, makeQueue) => {
    const { db } = await (await makeQueue())();
    await keepData(db, 'face');
    const { id, uuid } = await record(db);
    for (const viewers of [['ann', 'ann', 'bob'], ['ann']]) {
      for (const viewer of viewers) noteView(db, { skin_id: id, viewer, hour: 1 });
      await flushUsage(db);
    }
    expect((await findSkin(db, uuid))?.views).toBe(2);
    expect(await db.selectFrom('skin_days').selectAll().execute()).toEqual([
      { skin_id: id, day: 0, views: 2 },
    ]);
  },
);

test('A view of a meanwhile deleted skin is not an error', async () => {
  const { db } = await openOwnStore(await ownFolder());
  noteView(db, { skin_id: 99, viewer: 'ann', hour: 1 });
  await flushUsage(db);
  expect(await db.selectFrom('skin_views').selectAll().execute()).toEqual([]);
});

test('Recorded usage is written when the store is closed', async () => {
  const folder = await ownFolder();
  const store = await openStore(folder);
  noteKeyUse(store.db, await addKey(store), 5);
  await store.close();
  const { db } = await openOwnStore(folder);
  expect((await findKey(db, 'k'))?.key.last_used_at).toBe(5);
});

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR + 5;

test('Views of past hours are deleted, and stay counted', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  const { id, uuid } = await record(db);
  for (const time of [NOW - HOUR, NOW, NOW]) noteView(db, { skin_id: id, viewer: 'ann', hour: hourOf(time) });
  await flushUsage(db);
  await pruneViews(db, NOW);
  expect(await db.selectFrom('skin_views').select('hour').execute()).toEqual([{ hour: 1_000 }]);
  expect((await findSkin(db, uuid))?.views).toBe(2);
});
