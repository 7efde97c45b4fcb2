import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Db, dbOf, inTransaction } from '../../../../../src/server/store/db.ts';
import { openPostgresStore } from '../../../../../src/server/store/postgres/postgres-store.ts';
import { emptyDatabase, ownDatabase } from '../../../../support/postgres/own-database.ts';
import { type PoolMode, pooler } from '../../../../support/postgres/pooler.ts';

/** A store behind a pooler, with the settings that the pooler needs. */
async function pooled(url: string, mode: PoolMode): Promise<Db> {
  const prepares = mode === 'session';
  const store = await openPostgresStore({ url: await pooler(url, mode), connections: 1, prepares });
  onTestFinished(async () => await store.close());
  return store.db;
}

async function limitsOf(db: Db): Promise<unknown> {
  const look = sql`select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`;
  return (await look.execute(db)).rows[0];
}

const LIMITED = { statement: '30s', idle: '30s' };
const UNLIMITED = { statement: '0', idle: '0' };

describe('Behind a pooler', () => {
  test.each(['session', 'transaction'] as const)('a store makes its tables: %s', async (mode) => {
    const db = await pooled(await emptyDatabase(), mode);
    expect(await db.selectFrom('users').selectAll().where('name', '=', 'nobody').execute()).toEqual([]);
  });

  test('of sessions, connections get their limits once', async () => {
    const db = await pooled(await ownDatabase(), 'session');
    expect(await limitsOf(db)).toEqual(LIMITED);
    expect(await inTransaction(db, limitsOf)).toEqual(LIMITED);
    await sql`set statement_timeout = '7s'`.execute(db);
    expect(await limitsOf(db)).toEqual({ ...LIMITED, statement: '7s' });
  });

  test('of transactions, each transaction has its own limits', async () => {
    const url = await ownDatabase();
    const db = await pooled(url, 'transaction');
    for (const _ of [1, 2]) {
      expect(await inTransaction(db, limitsOf)).toEqual(LIMITED);
      expect(await limitsOf(db)).toEqual(UNLIMITED);
    }
    const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    expect(await snapshot.execute((tx) => limitsOf(dbOf(tx, db.store)))).toEqual(LIMITED);
  });

  test('of transactions, a store without --store-pooler says so', async () => {
    const url = await pooler(await ownDatabase(), 'transaction');
    const look = async () => {
      const { db, close } = await openPostgresStore({ url, connections: 1 });
      try {
        for (const name of ['one', 'two'])
          await db.selectFrom('users').selectAll().where('name', '=', name).execute();
      } finally {
        await close();
      }
    };
    await expect(look()).rejects.toMatchObject({
      code: 'store_refused',
      hint: expect.stringContaining('--store-pooler'),
    });
  });

  test('that refuses a parameter of the address, the address is refused at once', async () => {
    const url = `${await pooler(await ownDatabase(), 'session')}?options=-cjit%3Doff`;
    const patience = { limit: 600_000, onWaiting: () => expect.fail('It waits.') };
    await expect(openPostgresStore({ url, patience })).rejects.toMatchObject({
      code: 'store_refused',
      message: 'PostgreSQL denies access to the store: unsupported startup parameter: options',
    });
  });
});
