import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Which job of another service makes which skin data. */
export async function upstreamJobs(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('upstream_jobs')
    .addColumn('identity', 'text', (c) => c.primaryKey())
    .addColumn('job_id', 'text')
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('mark', 'bigint', (c) => c.notNull())
    .addColumn('submitted_at', 'bigint', (c) => c.notNull())
    .execute();
}
