import { sql } from 'kysely';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { isUnreachable } from '../../../../../src/server/store/failures.ts';
import { connectionConfig, forKysely, POOL_OPTIONS } from '../../../../../src/server/store/postgres/pool.ts';
import { postgresDb } from '../../../../../src/server/store/postgres/postgres-store.ts';

/** A pool with one connection, on which nothing is answered after the first statement: the driver gives up each time. */
function silentPool() {
  const sent: string[] = [];
  const released: unknown[] = [];
  const query = async ({ text }: { text: string }) => {
    if (sent.push(text) > 1) throw new Error('Query read timeout');
    return { command: 'BEGIN', rows: [] };
  };
  const release = (fault: unknown) => void released.push(fault);
  const events = { on: () => {}, off: () => {} };
  const client = { query, release, getTransactionStatus: () => 'T', ...events };
  const pool = { connect: async () => client, waitingCount: 0 } as unknown as Pool;
  return { sent, released, pool };
}

test('A transaction whose connection does not answer ends with that statement: nothing more is sent, it is closed', async () => {
  const { sent, released, pool } = silentPool();
  const db = postgresDb(forKysely(pool, POOL_OPTIONS));
  const work = db.transaction().execute(async (tx) => await sql`select 1`.execute(tx));
  const error = await work.catch((caught: unknown) => caught);
  expect([isUnreachable(error), sent]).toEqual([true, ['begin', 'select 1']]);
  expect(released).toEqual([error]);
});

test('The driver gives up a statement five seconds after PostgreSQL should have ended it', () => {
  const { query_timeout } = connectionConfig('postgres://127.0.0.1/skins', POOL_OPTIONS);
  expect([POOL_OPTIONS.statementTimeout, query_timeout]).toEqual([30_000, 35_000]);
});
