import { sql } from 'kysely';
import { type Db, inTransaction } from '../db.ts';
import { createMeta, type Migration, migrate } from '../migrate.ts';
import { StoreRefusedError } from './trouble.ts';

/** Any number that no other program on the same database is likely to lock. */
const LOCK = 7_546_018;

/** The oldest release that is tried, and its number as PostgreSQL writes it. */
const OLDEST = '15';
const OLDEST_NUMBER = 150_000;

/**
 * Creates the tables, or updates them, safely even if several nodes start at once.
 * @param known all migrations that the program knows
 * @throws StoreTooNewError, StoreTooOldError, StoreRefusedError
 */
export async function migratePostgres(db: Db, known: readonly Migration[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockUsable(tx);
    await createMeta(tx);
  });
  await migrate(db, known);
}

interface Server {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
}

/** Waits for those who create tables. @throws StoreRefusedError if this is no database for them */
async function lockUsable(tx: Db): Promise<void> {
  const { rows } = await sql<Server>`select pg_advisory_xact_lock(${LOCK}),
    current_setting('server_version') as version, current_setting('server_version_num')::int as number,
    current_setting('server_encoding') as encoding`.execute(tx);
  const { version, number, encoding } = rows[0]!;
  if (number < OLDEST_NUMBER)
    throw new StoreRefusedError(new Error(`it is version ${version}, and must be ${OLDEST} or newer`), UNFIT);
  if (encoding !== 'UTF8')
    throw new StoreRefusedError(new Error(`its encoding is ${encoding}, and must be UTF8`), UNFIT);
}

const UNFIT = {
  what: 'The database cannot be the store',
  hint: 'Name another database: --store or SKINSMITH_STORE',
};
