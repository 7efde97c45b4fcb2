import { type ExpressionBuilder, sql } from 'kysely';
import type { Db } from './db.ts';
import type { Tables } from './schema/tables.ts';

/** The tags of a skin, as both databases join them. */
export const tagsOfSkin = (eb: ExpressionBuilder<Tables, 'skins'>) => joinedTags(eb).as('tags');

export function joinedTags(eb: Pick<ExpressionBuilder<Tables, 'skins'>, 'selectFrom'>) {
  return eb
    .selectFrom('skin_tags')
    .select(sql<string | null>`string_agg(tag, ',')`.as('joined'))
    .whereRef('skin_tags.skin_id', '=', 'skins.id');
}

/** The most frequent tags of the `among` newest public skins, which bounds the cost. */
export async function frequentTags(
  db: Db,
  { among, size }: { readonly among: number; readonly size: number },
): Promise<string[]> {
  const newest = db
    .selectFrom('skins')
    .select('id')
    // The same expression as in the partial index.
    .where(sql<boolean>`visibility = 'public'`)
    .orderBy('id', 'desc')
    .limit(among);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .innerJoin('skin_tags', 'skin_tags.skin_id', 'newest.id')
    .select('tag')
    .groupBy('tag')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy('tag')
    .limit(size)
    .execute();
  return rows.map(({ tag }) => tag);
}

export async function hasLiked(db: Db, skin_id: number, owner: string): Promise<boolean> {
  const like = await db
    .selectFrom('skin_likes')
    .select('skin_id')
    .where('skin_id', '=', skin_id)
    .where('owner', '=', owner)
    .executeTakeFirst();
  return like !== undefined;
}

export async function replaceTags(db: Db, skin_id: number, tags: readonly string[]): Promise<void> {
  await db.deleteFrom('skin_tags').where('skin_id', '=', skin_id).execute();
  if (tags.length > 0)
    await db
      .insertInto('skin_tags')
      .values(tags.map((tag) => ({ tag, skin_id })))
      .execute();
}

/** @returns whether the user did not like it yet */
export async function addLike(db: Db, skin_id: number, owner: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('skin_likes')
    .values({ skin_id, owner })
    .onConflict((conflict) => conflict.columns(['skin_id', 'owner']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  await countLikes(db, skin_id, 1);
  return true;
}

/** @returns whether the user liked it */
export async function removeLike(db: Db, skin_id: number, owner: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('skin_likes')
    .where('skin_id', '=', skin_id)
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();
  if (numDeletedRows !== 1n) return false;
  await countLikes(db, skin_id, -1);
  return true;
}

async function countLikes(db: Db, id: number, step: number): Promise<void> {
  await db
    .updateTable('skins')
    .set((eb) => ({ likes: eb('likes', '+', step) }))
    .where('id', '=', id)
    .execute();
}
