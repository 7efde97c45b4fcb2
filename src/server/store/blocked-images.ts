import { type AliasableExpression, type SqlBool, sql } from 'kysely';
import type { Db } from './db.ts';
import type { BlockedImageRow } from './schema/tables.ts';

/** Part of a statement: whether an operator has blocked the image with this pixel hash. */
export function isBlocked(hash: string): AliasableExpression<SqlBool> {
  return sql<SqlBool>`exists (select 1 from blocked_images where blocked_images.hash = ${hash})`;
}

export async function findBlockedImage(db: Db, hash: string): Promise<BlockedImageRow | undefined> {
  return await db.selectFrom('blocked_images').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export async function findBlockedImages(db: Db, hashes: readonly string[]): Promise<BlockedImageRow[]> {
  return await db.selectFrom('blocked_images').selectAll().where('hash', 'in', hashes).execute();
}

/** False if the image is blocked already. */
export async function insertBlockedImage(db: Db, image: BlockedImageRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('blocked_images')
    .values(image)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** False if the image is not blocked. */
export async function deleteBlockedImage(db: Db, hash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_images')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ordered by hash. `after`: the last hash of the previous page. */
export async function listBlockedImages(
  db: Db,
  { after, size }: { after?: string | undefined; size: number },
): Promise<BlockedImageRow[]> {
  const page = db.selectFrom('blocked_images').selectAll().orderBy('hash').limit(size);
  return await (after === undefined ? page : page.where('hash', '>', after)).execute();
}
