import { prepare } from './prepared.ts';
import type { Db } from './store.ts';
import type { ApiKeyRow, UserRow } from './tables.ts';

/** `last_used_at` is a help to people, not a log: it is written at most once in this many ms. */
const LAST_USED_STEP = 60_000;

export interface KeyOwner {
  readonly key: ApiKeyRow;
  readonly user: UserRow;
}

const FIND_OWNER = prepare((db, { hash }: Pick<ApiKeyRow, 'hash'>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .selectAll('api_keys')
    .select([
      'users.name as user_name',
      'users.plan as user_plan',
      'users.role as user_role',
      'users.created_at as user_created_at',
      'users.disabled_at as user_disabled_at',
    ])
    .where('api_keys.hash', '=', hash)
    .where('api_keys.revoked_at', 'is', null),
);

/** The key with this hash and whose it is, unless it is revoked. */
export async function findKeyOwner(db: Db, hash: string): Promise<KeyOwner | undefined> {
  const key = await FIND_OWNER.first(db, { hash });
  if (!key) return undefined;
  const user = {
    id: key.user_id,
    name: key.user_name,
    plan: key.user_plan,
    role: key.user_role,
    created_at: key.user_created_at,
    disabled_at: key.user_disabled_at,
  };
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

/** How many keys a user has; revoked ones are not counted. */
export async function countKeys(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whether the user ever had a key, revoked ones included. */
export async function hadAnyKey(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom('api_keys').select('id').where('user_id', '=', userId).executeTakeFirst();
  return row !== undefined;
}

/** Which key is meant: of that user, or of anybody when `userId` is absent. */
export interface KeyChoice {
  readonly id: string;
  readonly userId?: string | undefined;
}

export type KeyChange = Partial<
  Pick<ApiKeyRow, 'name' | 'allowed_ips' | 'allowed_origins' | 'allowed_agents' | 'v2_compat' | 'revoked_at'>
>;

/** Changes a key that is not revoked; the key as it is then, undefined when there is none such. */
export async function changeKey(
  db: Db,
  { id, userId }: KeyChoice,
  change: KeyChange,
): Promise<KeyOwner | undefined> {
  let update = db.updateTable('api_keys').set(change).where('id', '=', id).where('revoked_at', 'is', null);
  if (userId !== undefined) update = update.where('user_id', '=', userId);
  const key = await update.returningAll().executeTakeFirst();
  return key && { key, user: await ownerOf(db, key) };
}

async function ownerOf(db: Db, key: ApiKeyRow): Promise<UserRow> {
  return await db.selectFrom('users').selectAll().where('id', '=', key.user_id).executeTakeFirstOrThrow();
}
