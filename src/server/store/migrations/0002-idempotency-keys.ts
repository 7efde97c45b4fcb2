import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * A table and not a column of jobs: requests with different keys may have joined one job. The primary key
 * is what makes two requests at once with the same key one job; a key goes with its job, and the index is
 * what finds it then.
 */
export async function idempotencyKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('job_id', 'integer', (c) => c.notNull().references('jobs.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('idempotency_keys_primary', ['owner', 'key'])
    .execute();
  await db.schema.createIndex('idempotency_keys_by_job').on('idempotency_keys').column('job_id').execute();
}
