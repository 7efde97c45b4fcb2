import { type RawBuilder, sql } from 'kysely';
import type { Db } from './db.ts';

/** Milliseconds since the epoch by PostgreSQL's clock, as it runs the statement and not as its transaction began. */
export const DATABASE_NOW: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function readDatabaseClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${DATABASE_NOW} as now`.execute(db);
  return rows[0]?.now ?? 0;
}
