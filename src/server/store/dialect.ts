import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './schema/tables.ts';

/** Which database keeps a store. */
type DialectName = 'sqlite' | 'postgres';

/** An adapter that says so; without a name it is SQLite's. */
export interface NamesDialect {
  readonly dialectName: DialectName;
}

/** For the few statements that differ: how writers are kept apart, and how times of leases are told. */
export function isPostgres(db: Kysely<Tables>): boolean {
  return (db.getExecutor().adapter as Partial<NamesDialect>).dialectName === 'postgres';
}

/**
 * A number from outside that an `integer` column is compared with. PostgreSQL takes such a parameter for one of 32 bits,
 * as the column is, and fails for larger ones.
 */
export function wide(number: number): RawBuilder<number> {
  return sql`cast(${number} as bigint)`;
}
