import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** What jobs are made from, as their owners named it, and how much each key was used. */
export async function sourceNames(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('source', 'text').execute();
  await db.schema
    .alterTable('api_keys')
    .addColumn('generations', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}
