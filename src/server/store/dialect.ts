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

/** What the databases call the types of columns that have different names in each. */
export interface ColumnTypes {
  readonly text: string;
  readonly bytes: string;
  readonly real: string;
  /** The number of a row of a large table. */
  readonly rowNumber: string;
  /** Follows the type of a primary key that numbers rows in the order of their insertion. */
  readonly numbered: string;
}

const SQLITE_TYPES: ColumnTypes = {
  text: 'text',
  bytes: 'blob',
  real: 'real',
  rowNumber: 'integer',
  numbered: 'primary key autoincrement',
};

/** Texts sort by their bytes, and row numbers have 64 bits, as in SQLite. */
const POSTGRES_TYPES: ColumnTypes = {
  text: 'text collate "C"',
  bytes: 'bytea',
  real: 'double precision',
  rowNumber: 'bigint',
  numbered: 'generated always as identity primary key',
};

export function columnTypes(db: Kysely<Tables>): ColumnTypes {
  return isPostgres(db) ? POSTGRES_TYPES : SQLITE_TYPES;
}

/**
 * A number from outside that an `integer` column is compared with. PostgreSQL takes such a parameter for one of 32 bits,
 * as the column is, and fails for larger ones.
 */
export function wide(number: number): RawBuilder<number> {
  return sql`cast(${number} as bigint)`;
}
