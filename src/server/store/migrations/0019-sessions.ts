import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** People who are signed in to the pages, and links that sign in once. */
export async function sessions(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text')
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sessions_by_user').on('sessions').columns(['user_id', 'created_at']).execute();
  await db.schema.createIndex('sessions_by_key').on('sessions').column('key_id').execute();
  await db.schema
    .createTable('sign_in_links')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}
