import type { Kysely } from 'kysely';
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
