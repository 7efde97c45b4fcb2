import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Skins are counted by the time they were made at (store/stats.ts). */
export async function madeWhen(db: Kysely<Tables>): Promise<void> {
  await db.schema.createIndex('skins_by_time').on('skins').column('created_at').execute();
  await db.schema.createIndex('texture_data_by_time').on('texture_data').column('created_at').execute();
}
