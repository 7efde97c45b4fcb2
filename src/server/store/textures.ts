import type { Db } from './store.ts';
import type { TextureDataRow, TextureRow } from './tables.ts';

/** Keeps a picture under its hash; one that is there already stays as it is (same name, same bytes). */
export async function keepTexture(db: Db, texture: TextureRow): Promise<void> {
  await db
    .insertInto('textures')
    .values(texture)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

export async function findTexture(db: Db, hash: string): Promise<TextureRow | undefined> {
  return await db.selectFrom('textures').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export async function findTextureData(db: Db, identity: string): Promise<TextureDataRow | undefined> {
  return await db.selectFrom('texture_data').selectAll().where('identity', '=', identity).executeTakeFirst();
}

/** Keeps signed data; the first one stands when two workers made the same. */
export async function keepTextureData(db: Db, data: TextureDataRow): Promise<void> {
  await db
    .insertInto('texture_data')
    .values(data)
    .onConflict((conflict) => conflict.column('identity').doNothing())
    .execute();
}

/** Drops pictures that neither signed data nor a job needs any more and that are older than `before`. */
export async function dropUnusedTextures(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('textures')
    .where('created_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('texture_data')
            .select('identity')
            .whereRef('texture_data.texture_hash', '=', 'textures.hash'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('jobs').select('id').whereRef('jobs.texture_hash', '=', 'textures.hash'))),
    )
    .execute();
}
