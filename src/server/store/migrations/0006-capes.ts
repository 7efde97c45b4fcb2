import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

const HAS_CAPE = sql<boolean>`cape_hash is not null`;

/** Capes that the operator put in, and skins made with one. */
export async function capes(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('capes')
    .addColumn('uuid', 'text', (c) => c.primaryKey())
    .addColumn('alias', 'text', (c) => c.notNull().unique())
    .addColumn('texture_hash', 'text', (c) => c.notNull().references('textures.hash'))
    .addColumn('support', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.alterTable('texture_data').addColumn('cape_hash', 'text').execute();
  await db.schema.alterTable('texture_data').addColumn('cape_url', 'text').execute();
  await db.schema.alterTable('jobs').addColumn('cape_hash', 'text').execute();
  // Who needs this picture.
  await db.schema.createIndex('capes_by_texture').on('capes').column('texture_hash').execute();
  await db.schema.createIndex('texture_data_by_cape').on('texture_data').column('cape_hash').execute();
  await db.schema.createIndex('jobs_by_cape').on('jobs').column('cape_hash').where(HAS_CAPE).execute();
}
