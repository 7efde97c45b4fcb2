import { dbOf } from '../store/db.ts';
import { asRefused } from '../store/postgres/failures.ts';
import { forKysely, makePool, POOL_OPTIONS, type PoolOptions } from '../store/postgres/pool.ts';
import { openPostgresDb, type PostgresSettings, postgresDb } from '../store/postgres/postgres-store.ts';
import type { OpenPlace } from './rows.ts';

/**
 * One connection has the snapshot, and may be idle for as long as the other store takes. The statements, few and long,
 * have no names, so any pooler may be in front of the database.
 */
function optionsOf(settings: Partial<PoolOptions>): PoolOptions {
  return { ...POOL_OPTIONS, ...settings, connections: 1, prepares: false, statementTimeout: 600_000 };
}

/** Opens a transaction that sees the store at its start. Does not change the schema. */
export async function openDatabaseSnapshot({ url, ...settings }: PostgresSettings): Promise<OpenPlace> {
  const options = optionsOf(settings);
  const root = postgresDb(forKysely(makePool(url, options), options));
  try {
    const start = root.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    const transaction = await start.execute();
    const close = async () => {
      await transaction.rollback().execute();
      await root.destroy();
    };
    return { db: dbOf(transaction, root.store), close };
  } catch (error) {
    await root.destroy();
    throw asRefused(error);
  }
}

/** Creates or updates the tables. */
export async function openDatabaseTarget({ url, ...settings }: PostgresSettings): Promise<OpenPlace> {
  const db = await openPostgresDb(url, optionsOf(settings));
  return { db, close: async () => await db.destroy() };
}
