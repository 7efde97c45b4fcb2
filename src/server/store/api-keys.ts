import { sql } from 'kysely';
import { countRows, type Db, exists } from './db.ts';
import type { KeyOwner } from './process-memory.ts';
import type { ApiKeyRow, UserRow } from './schema/tables.ts';
import { revokeSessionsOf } from './sessions.ts';
import { flushUsage } from './usage.ts';

/** The key with this hash and its owner, unless it is revoked. Usually comes from memory. */
export async function findKeyOwner(db: Db, hash: string): Promise<KeyOwner | undefined> {
  return await db.store.keyOwners.find(hash, async () => await readKeyOwner(db, hash));
}

async function readKeyOwner(db: Db, hash: string): Promise<KeyOwner | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .selectAll('api_keys')
    .select([
      'users.name as user_name',
      'users.plan as user_plan',
      'users.role as user_role',
      'users.created_at as user_created_at',
      'users.disabled_at as user_disabled_at',
      'users.shows_name as user_shows_name',
    ])
    .where('api_keys.hash', '=', hash)
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
  if (!key) return undefined;
  const user = {
    id: key.user_id,
    name: key.user_name,
    plan: key.user_plan,
    role: key.user_role,
    created_at: key.user_created_at,
    disabled_at: key.user_disabled_at,
    shows_name: key.user_shows_name,
  };
  return { key, user };
}

export async function insertKey(db: Db, key: ApiKeyRow): Promise<void> {
  await db.insertInto('api_keys').values(key).execute();
}

/** Whether there is such a key, including revoked ones. */
export async function hasKeyWithId(db: Db, id: string): Promise<boolean> {
  return await exists(db.selectFrom('api_keys').select('id').where('id', '=', id));
}

export async function hasKeyWithHash(db: Db, hash: string): Promise<boolean> {
  return await exists(db.selectFrom('api_keys').select('id').where('hash', '=', hash));
}

/** A user's keys in the order they were made; revoked ones are left out. */
export async function listKeys(db: Db, userId: string): Promise<ApiKeyRow[]> {
  await flushUsage(db); // the list shows it
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Number of a user's keys, excluding revoked ones. */
export async function countKeys(db: Db, userId: string): Promise<number> {
  return await countRows(
    db.selectFrom('api_keys').where('user_id', '=', userId).where('revoked_at', 'is', null),
  );
}

/** Whether the user ever had a key, including revoked ones. */
export async function hadAnyKey(db: Db, userId: string): Promise<boolean> {
  return await exists(db.selectFrom('api_keys').select('id').where('user_id', '=', userId));
}

/** Deletes a user's revoked keys, except the newest ones. */
export async function forgetRevokedKeys(db: Db, userId: string, kept: number): Promise<void> {
  const revoked = db.selectFrom('api_keys').where('user_id', '=', userId).where('revoked_at', 'is not', null);
  const old = await revoked
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_FORGOTTEN)
    .offset(kept)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('api_keys').where('id', 'in', ids).execute();
}

/** Keys that one statement deletes: stores of earlier versions may have many. */
const MOST_FORGOTTEN = 1_000;

export type KeyChange = Partial<
  Pick<
    ApiKeyRow,
    'name' | 'allowed_ips' | 'allowed_origins' | 'allowed_agents' | 'v2_compat' | 'scopes' | 'revoked_at'
  >
>;

/** A key that is not revoked, with its user. */
export async function findKey(db: Db, id: string): Promise<KeyOwner | undefined> {
  const key = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return key && { key, user: await ownerOf(db, key) };
}

/** Changes an existing key and returns the changed key. Revoking it ends the sessions that were begun with it. */
export async function changeKey(db: Db, id: string, change: KeyChange): Promise<ApiKeyRow> {
  const changed = await db
    .updateTable('api_keys')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (changed.revoked_at !== null) await revokeSessionsOf(db, { key: id });
  db.store.keyOwners.forget();
  return changed;
}

async function ownerOf(db: Db, key: ApiKeyRow): Promise<UserRow> {
  return await db.selectFrom('users').selectAll().where('id', '=', key.user_id).executeTakeFirstOrThrow();
}

/**
 * Deletes keys that were revoked before `before`. Keeps the newest key of each user, so that the owner does not get a
 * first key again.
 */
export async function pruneRevokedKeys(db: Db, before: number): Promise<void> {
  const isNewest = sql<boolean>`not exists (select 1 from api_keys as newer where newer.user_id = api_keys.user_id
    and (newer.created_at > api_keys.created_at or (newer.created_at = api_keys.created_at and newer.id > api_keys.id)))`;
  await db
    .deleteFrom('api_keys')
    .where('revoked_at', '<', before)
    .where((eb) => eb.not(isNewest))
    .execute();
}
