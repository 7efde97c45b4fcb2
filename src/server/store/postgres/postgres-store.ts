import { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { PooledDialect } from './dialect.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { forKysely, makePool, POOL_OPTIONS, type PoolOptions } from './pool.ts';

/**
 * Opens the store in a PostgreSQL database, and creates or updates its tables.
 * @param url `postgres://user@host/database`; what it does not say, the usual variables do (PGPASSWORD, PGPASSFILE …)
 * @throws StoreUnreachableError
 * @throws StoreTooNewError if a newer skinsmith wrote it and does not let this one use it
 */
export async function openPostgresDb(
  url: string,
  options: PoolOptions = POOL_OPTIONS,
): Promise<Kysely<Tables>> {
  const pool = makePool(url, options);
  const db = new Kysely<Tables>({ dialect: new PooledDialect(forKysely(pool, options)) });
  try {
    await migratePostgres(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
