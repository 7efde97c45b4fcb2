import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * How many of an owner's jobs may be processed while capacity is idle, and since when a job is processed. Jobs that
 * were accepted before have no burst: their concurrency holds.
 */
export async function burst(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('jobs')
    .addColumn('burst', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('jobs').addColumn('started_at', 'bigint').execute();
}
