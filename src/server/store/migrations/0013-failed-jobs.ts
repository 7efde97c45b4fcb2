import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

const FAILED = sql<boolean>`status = 'failed'`;

/** An owner's failed jobs, newest first: they are few, and whoever looks for them has many others. */
export async function failedJobs(db: Kysely<Tables>): Promise<void> {
  await db.schema.createIndex('jobs_failed').on('jobs').columns(['owner', 'id']).where(FAILED).execute();
}
