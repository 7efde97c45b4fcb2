import type { Db } from './db.ts';
import type { ApiKeyRow, SessionRow, SignInLinkRow, UserRow } from './schema/tables.ts';

/** The person who signed in. */
export interface SignedIn {
  readonly user: UserRow;
  /** The API key, if the person used one. */
  readonly key: ApiKeyRow | undefined;
}

export async function insertSession(db: Db, session: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** The session with this hash, unless it has expired. */
export async function findSession(db: Db, hash: string, now: number): Promise<SessionRow | undefined> {
  return await db
    .selectFrom('sessions')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** The owner of a session or link; undefined if the user is disabled or the key revoked. */
export async function findSignedIn(
  db: Db,
  { user_id, key_id }: Pick<SessionRow, 'user_id' | 'key_id'>,
): Promise<SignedIn | undefined> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', user_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!user || key_id === null) return user && { user, key: undefined };
  const key = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', key_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return key && { user, key };
}

export async function noteSessionUse(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ used_at: now }).where('id', '=', id).execute();
}

/** A user's sessions that have not expired, newest first. */
export async function listSessions(db: Db, userId: string, now: number): Promise<SessionRow[]> {
  return await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

/** False if the user does not have this session. */
export async function revokeSession(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends the sessions and deletes the links of a user or an API key. */
export async function revokeSessionsOf(
  db: Db,
  whose: { readonly user: string } | { readonly key: string },
): Promise<void> {
  const [column, id] =
    'user' in whose ? (['user_id', whose.user] as const) : (['key_id', whose.key] as const);
  await db.deleteFrom('sessions').where(column, '=', id).execute();
  await db.deleteFrom('sign_in_links').where(column, '=', id).execute();
}

/** Ends a user's sessions not started with an API key, except one, and deletes such links. */
export async function revokeKeylessSessions(db: Db, userId: string, but = ''): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('key_id', 'is', null)
    .where('id', '!=', but)
    .execute();
  await db.deleteFrom('sign_in_links').where('user_id', '=', userId).where('key_id', 'is', null).execute();
}

export async function insertLink(db: Db, link: SignInLinkRow): Promise<void> {
  await db.insertInto('sign_in_links').values(link).execute();
}

export async function hasLink(db: Db, hash: string): Promise<boolean> {
  const link = await db
    .selectFrom('sign_in_links')
    .select('hash')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return link !== undefined;
}

/** Uses a link up. Undefined if it does not exist or has expired. */
export async function takeLink(db: Db, hash: string, now: number): Promise<SignInLinkRow | undefined> {
  const link = await db
    .deleteFrom('sign_in_links')
    .where('hash', '=', hash)
    .returningAll()
    .executeTakeFirst();
  return link && link.expires_at > now ? link : undefined;
}

/** Deletes expired sessions and links. */
export async function pruneSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  await db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute();
  await db.deleteFrom('first_sign_ins').where('expires_at', '<=', now).execute();
}
