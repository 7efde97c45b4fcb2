import { type PostgresPool, sql } from 'kysely';
import { expect, test } from 'vitest';
import { Health, type HealthOptions } from '../../../../src/server/service/status/health.ts';
import { StoreUnreachableError } from '../../../../src/server/store/failures.ts';
import { postgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { StoreReplacedError } from '../../../../src/server/store/sqlite.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

interface Changes extends Partial<Pick<HealthOptions, 'db' | 'untilLate'>> {
  readonly isStopping?: boolean;
  readonly isFull?: boolean;
  readonly isTooNew?: boolean;
  readonly trouble?: unknown;
}

async function health(changes: Changes = {}) {
  const db = changes.db ?? (await openOwnStore(await ownFolder())).db;
  const clock = new MovableClock();
  const { isStopping = false, isFull = false, isTooNew = false, trouble, untilLate } = changes;
  let hasBecomeTooNew = isTooNew;
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  return {
    db,
    clock,
    it: new Health({
      db,
      clock,
      isStopping: () => isStopping,
      isReplaced: () => false,
      isTooNew: () => hasBecomeTooNew,
      warnings: () => ['store_pool'],
      isFull: () => isFull,
      isKeyChanged: async () => false,
      trouble: () => trouble,
      isReady: async () => true,
      onError,
      ...(untilLate && { untilLate }),
    }),
    errors,
    becomeTooNew: () => {
      hasBecomeTooNew = true;
    },
  };
}

test('A service is ready if it is running, can write and has healthy workers', async () => {
  expect(await (await health()).it.unreadiness()).toEqual([]);
});

test('A service is not ready while it stops or its workers fail, and reports both', async () => {
  const { it } = await health({ isStopping: true, trouble: new Error('full') });
  expect(await it.unreadiness()).toEqual(['stopping', 'workers_in_trouble']);
});

test('A service is not ready while its store cannot be written, which is tried at most once a second', async () => {
  const { it, db, clock, errors } = await health();
  expect(await it.unreadiness()).toEqual([]);
  await sql`pragma query_only = on`.execute(db);
  expect(await it.unreadiness()).toEqual([]);
  clock.forward(1_000);
  expect(await it.unreadiness()).toEqual(['store_not_writable']);
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('readonly') })]);
  await sql`pragma query_only = off`.execute(db);
  clock.forward(1_000);
  expect(await it.unreadiness()).toEqual([]);
});

test('A service is not ready, and does not use the store, once the store is too new for it', async () => {
  const { it, db } = await health({ isTooNew: true, isStopping: true, trouble: new Error('too new') });
  await db.destroy();
  expect(await it.unreadiness()).toEqual(['stopping', 'store_too_new']);
});

test('A service also reports a store that becomes too new during the check', async () => {
  const { it, becomeTooNew } = await health({ trouble: new Error('too new') });
  const looking = it.unreadiness();
  becomeTooNew();
  expect(await looking).toEqual(['store_too_new']);
});

test('A service stays ready with problems that are only warnings', async () => {
  const { it } = await health();
  expect([await it.unreadiness(), it.warnings]).toEqual([[], ['store_pool']]);
});

test('A service is not ready while its store is full', async () => {
  const { it } = await health({ isFull: true });
  expect(await it.unreadiness()).toEqual(['store_full']);
});

/** A database that takes statements and never answers, until it is released. */
function silentDb() {
  const released = Promise.withResolvers<void>();
  let asked = 0;
  const query = async () => {
    asked++;
    await released.promise;
    return { command: 'INSERT', rowCount: 1, rows: [] };
  };
  const pool = { connect: async () => ({ query, release: () => {} }), end: async () => {} };
  return {
    db: postgresDb(pool as unknown as PostgresPool),
    release: () => released.resolve(),
    asked: () => asked,
  };
}

test('A service is not ready while its store does not answer, and only one check at a time waits for it', async () => {
  const silent = silentDb();
  const { it, clock } = await health({ db: silent.db, untilLate: async () => {} });
  expect(await it.unreadiness()).toEqual(['store_unreachable']);
  clock.forward(1_000);
  expect(await it.unreadiness()).toEqual(['store_unreachable']);
  expect(silent.asked()).toBe(1);
  clock.forward(4_000); // the connection of the first one may be lost for good
  expect(await it.unreadiness()).toEqual(['store_unreachable']);
  expect(silent.asked()).toBe(2);
  silent.release();
});

test('A service is alive without its store, but not if something else is wrong', async () => {
  const trouble = (error?: Error) => health({ trouble: error });
  expect((await trouble()).it.isAlive).toBe(true);
  expect((await trouble(new StoreUnreachableError('gone'))).it.isAlive).toBe(true);
  expect((await trouble(new StoreReplacedError())).it.isAlive).toBe(false);
});
