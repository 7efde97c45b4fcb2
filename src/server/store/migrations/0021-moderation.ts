import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Reports of skins, images that are refused, hidden skins, and who did what. */
export async function moderation(db: Kysely<Tables>): Promise<void> {
  await addReports(db);
  await db.schema
    .createTable('blocked_images')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('blocked_by', 'text', (c) => c.notNull())
    .addColumn('blocked_at', 'bigint', (c) => c.notNull())
    .execute();
  await numbered(db, 'operator_log')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('operator', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('note', 'text', (c) => c.notNull())
    .execute();
  await db.schema.alterTable('skins').addColumn('hidden_from', 'text').execute();
}

async function addReports(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'reports')
    .addColumn('skin_uuid', 'text', (c) => c.notNull())
    .addColumn('reporter', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint')
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('reports');
  await index('reports_open').column('id').where(sql<boolean>`closed_at is null`).execute();
  await index('reports_by_skin').columns(['skin_uuid', 'reporter']).execute();
  await index('reports_by_reporter').columns(['reporter', 'created_at']).execute();
}

/** A table whose rows have numbers in the order of their insertion, in `id`. */
function numbered(db: Kysely<Tables>, name: string): CreateTableBuilder<string, 'id'> {
  return db.schema.createTable(name).addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement());
}
