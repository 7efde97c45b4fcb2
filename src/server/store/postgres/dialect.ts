import { Kysely, PostgresDialect, type PostgresPool, type SelectQueryBuilder, sql } from 'kysely';
import { type ColumnTypes, type Db, dbOf, type Store } from '../db.ts';
import { ANY_SCHEMA, type KnownSchema } from '../known-schema.ts';
import { KeyOwnerCache, NotedUsage } from '../memory.ts';
import type { Tables } from '../schema/tables.ts';

/** A handle for a database behind a pool of connections, which is closed together with it. */
export function postgresDb(pool: PostgresPool, schema: KnownSchema = ANY_SCHEMA): Db {
  return dbOf(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), new PostgresStore(schema));
}

/** Texts sort by their bytes, and row numbers have 64 bits, as in SQLite. */
const COLUMN_TYPES: ColumnTypes = {
  text: 'text collate "C"',
  bytes: 'bytea',
  real: 'double precision',
  rowNumber: 'bigint',
  numbered: 'generated always as identity primary key',
};

/**
 * Milliseconds for which a key and its owner are answered from memory: so a revocation holds on all nodes within a
 * second, whether or not news of it can travel.
 */
const KEY_AGE = 500;

/** Transactions run side by side, and those of several machines. */
class PostgresStore implements Store {
  readonly kind = 'postgres';
  readonly isShared = true;
  readonly columnTypes = COLUMN_TYPES;
  readonly schema: KnownSchema;
  readonly keyOwners = new KeyOwnerCache({ version: () => Math.floor(performance.now() / KEY_AGE) });
  readonly usage = new NotedUsage();

  constructor(schema: KnownSchema) {
    this.schema = schema;
  }

  async lock(statement: () => Promise<unknown>): Promise<void> {
    await statement();
  }

  async limitLockWaits(tx: Db, milliseconds: number): Promise<void> {
    await sql`select set_config('lock_timeout', ${String(milliseconds)}, true)`.execute(tx);
  }

  withFreeRows<T extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, T, Row>,
  ): SelectQueryBuilder<Tables, T, Row> {
    return query.forUpdate().skipLocked();
  }
}
