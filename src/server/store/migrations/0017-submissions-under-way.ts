import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Who sends a submission to the service above, and when it is known whether it arrived. */
export async function submissionsUnderWay(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('upstream_jobs').addColumn('sender', 'text').execute();
  await db.schema
    .alterTable('upstream_jobs')
    .addColumn('sending_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('upstream_jobs').addColumn('settles_at', 'bigint').execute();
}
