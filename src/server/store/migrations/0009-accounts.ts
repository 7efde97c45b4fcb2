import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

const PROCESSING = sql<boolean>`status = 'processing'`;

/** Game accounts that are linked. */
export async function gameAccounts(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('game_accounts')
    .addColumn('uuid', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('original_url', 'text')
    .addColumn('original_variant', 'text')
    .addColumn('restores', 'integer', (c) => c.notNull())
    .addColumn('shows_cape', 'integer', (c) => c.notNull())
    .addColumn('altered', 'integer', (c) => c.notNull())
    .addColumn('cape_checked_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint', (c) => c.notNull())
    .addColumn('cool_until', 'bigint', (c) => c.notNull())
    .addColumn('error_streak', 'integer', (c) => c.notNull())
    .addColumn('last_error_code', 'text')
    .addColumn('last_error_message', 'text')
    .addColumn('last_error_at', 'bigint')
    .addColumn('generated', 'integer', (c) => c.notNull())
    .addColumn('failed', 'integer', (c) => c.notNull())
    .addColumn('linked_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .execute();
  // Whether somebody is making the very data that a job asks for.
  await db.schema
    .createIndex('jobs_processing_identity')
    .on('jobs')
    .column('identity')
    .where(PROCESSING)
    .execute();
}
