import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Players whose profiles were looked up, and textures by the address that they have in signed data. */
export async function players(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('players')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('looked_up_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('players_by_name').on('players').columns(['name', 'looked_up_at']).execute();
  await db.schema.createIndex('players_by_time').on('players').column('looked_up_at').execute();
  await db.schema.createIndex('texture_data_by_url').on('texture_data').column('url').execute();
}
