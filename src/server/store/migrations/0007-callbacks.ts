import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

const OPEN = sql<boolean>`done_at is null`;

/** Whom to tell of a job's end. Several requests may have joined one job, each with a callback of its own. */
export async function callbacks(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('callbacks')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('job_id', 'integer', (c) => c.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('run_at', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('done_at', 'bigint')
    .execute();
  // The same request sent twice has one callback; by its job's number it is found when that ends.
  await db.schema
    .createIndex('callbacks_once')
    .unique()
    .on('callbacks')
    .columns(['job_id', 'key_id', 'url'])
    .execute();
  // Host and key are in it so that due ones whose receiver is busy are passed over without a look at them.
  await db.schema
    .createIndex('callbacks_due')
    .on('callbacks')
    .columns(['run_at', 'host', 'key_id'])
    .where(OPEN)
    .execute();
  await db.schema.createIndex('callbacks_open_by_key').on('callbacks').column('key_id').where(OPEN).execute();
}
