import type { Db } from './store.ts';
import type { ApiKeyRow, UserRow } from './tables.ts';

/** `last_used_at` is a help to people, not a log: it is written at most once in this many ms. */
const LAST_USED_STEP = 60_000;

export interface KeyOwner {
  readonly key: ApiKeyRow;
  readonly user: UserRow;
}

/** The key with this hash and whose it is, unless it is revoked. */
export async function findKeyOwner(db: Db, hash: string): Promise<KeyOwner | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!key) return undefined;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', key.user_id)
    .executeTakeFirstOrThrow();
  return { key, user };
}

export async function touchKey(db: Db, key: ApiKeyRow, now: number): Promise<void> {
  if (key.last_used_at !== null && now - key.last_used_at < LAST_USED_STEP) return;
  await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', key.id).execute();
}

export async function insertKey(db: Db, key: ApiKeyRow): Promise<void> {
  await db.insertInto('api_keys').values(key).execute();
}

/** A user's keys in the order they were made; revoked ones are left out. */
export async function listKeys(db: Db, userId: string): Promise<ApiKeyRow[]> {
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Whether the user ever had a key, revoked ones included. */
export async function hadAnyKey(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom('api_keys').select('id').where('user_id', '=', userId).executeTakeFirst();
  return row !== undefined;
}

/** Revokes a key: of that user, or of anybody when `userId` is absent. False when there is none such. */
export async function revokeKey(db: Db, id: string, now: number, userId?: string): Promise<boolean> {
  let update = db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null);
  if (userId !== undefined) update = update.where('user_id', '=', userId);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return numUpdatedRows > 0n;
}
