import { type Kysely, sql } from 'kysely';
import { migrate, readVersion } from '../migrate.ts';
import type { Tables } from '../schema/tables.ts';
import { BASELINE, BASELINE_VERSION } from './baseline.ts';

/** Any number that no other program on the same database is likely to lock. */
const LOCK = 7_546_018;

/** Creates the tables, or updates them, safely even if several nodes start at once. @throws StoreTooNewError */
export async function migratePostgres(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx);
    await sql`create table if not exists meta (key text collate "C" primary key, value text collate "C" not null)`.execute(
      tx,
    );
    if ((await readVersion(tx)) > 0) return;
    await sql.raw(BASELINE).execute(tx);
    await tx
      .insertInto('meta')
      .values({ key: 'schema', value: String(BASELINE_VERSION) })
      .execute();
  });
  await migrate(db);
}
