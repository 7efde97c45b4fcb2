import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { countRows, type Db, exists, hasEffect, insertNew } from './db.ts';
import {
  type ApiKeyRow,
  FINISHED,
  type FirstSignInRow,
  type IdentityRow,
  PENDING,
  type SessionRow,
  type SignInLinkRow,
  type UserRow,
} from './schema/tables.ts';
import { flushUsage } from './usage.ts';

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
  return await hasEffect(db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id));
}

/** Ends all of a user's sessions but one, and deletes the user's links. */
export async function revokeOtherSessions(db: Db, userId: string, but: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', but).execute();
  await db.deleteFrom('sign_in_links').where('user_id', '=', userId).execute();
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
  await deleteLinksOf(db, userId);
}

export async function insertLink(db: Db, link: SignInLinkRow): Promise<void> {
  await db.insertInto('sign_in_links').values(link).execute();
}

export async function hasLink(db: Db, hash: string): Promise<boolean> {
  return await exists(db.selectFrom('sign_in_links').select('hash').where('hash', '=', hash));
}

/** Deletes a user's links without an API key. */
export async function deleteLinksOf(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sign_in_links').where('user_id', '=', userId).where('key_id', 'is', null).execute();
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

export async function findUserByName(db: Db, name: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function findUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The user's name, if the user wishes it to be shown and is not disabled. */
export async function findShownName(db: Db, id: string): Promise<string | undefined> {
  const user = await db
    .selectFrom('users')
    .select('name')
    .where('id', '=', id)
    .where('shows_name', '=', 1)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return user?.name;
}

/** The existing ones of these users. */
export async function findUsersById(db: Db, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return [];
  return await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
}

/** Adds the user unless the name is taken; returns the user who then has the name. */
export async function ensureUser(db: Db, user: UserRow): Promise<UserRow> {
  const there = await findUserByName(db, user.name);
  if (there) return there;
  await insertUser(db, user);
  return await db.selectFrom('users').selectAll().where('name', '=', user.name).executeTakeFirstOrThrow();
}

/** A user with the number of its API keys that are not revoked. */
export type UserWithKeys = UserRow & {
  readonly keys: number;
  /** When an API key was last used, and a page last looked at. */
  readonly key_used_at: number | null;
  readonly seen_at: number | null;
  /** When the last of its links without an API key expires. */
  readonly link_until: number | null;
};

/** Adds the user. False if the name is taken. */
export async function insertUser(db: Db, user: UserRow): Promise<boolean> {
  return await insertNew(db, 'users', user);
}

export async function findUserWithKeys(db: Db, name: string): Promise<UserWithKeys | undefined> {
  await flushUsage(db);
  return await usersWithKeys(db).where('name', '=', name).executeTakeFirst();
}

/** Users ordered by name. `after`: the last name of the previous page. `filter`: part of the names, in any case. */
export async function listUsers(
  db: Db,
  { after, size, filter }: { after?: string | undefined; size: number; filter?: string | undefined },
): Promise<UserWithKeys[]> {
  await flushUsage(db);
  let page = usersWithKeys(db).orderBy('name').limit(size);
  if (after !== undefined) page = page.where('name', '>', after);
  if (filter) page = page.where(nameContains(filter));
  return await page.execute();
}

function nameContains(text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(users.name) like ${pattern} escape '\\'`;
}

/** False if the user does not exist. */
export async function changeUser(
  db: Db,
  name: string,
  change: Partial<Pick<UserRow, 'plan' | 'role' | 'disabled_at' | 'shows_name'>>,
): Promise<boolean> {
  const isChanged = await hasEffect(db.updateTable('users').set(change).where('name', '=', name));
  db.store.keyOwners.forget();
  return isChanged;
}

/** IDs of disabled users. */
export async function listDisabled(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('users').select('id').where('disabled_at', 'is not', null).execute();
  return rows.map(({ id }) => id);
}

/** Which of these names are of disabled users. */
export async function disabledAmong(db: Db, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const users = db.selectFrom('users').select('name').where('name', 'in', names);
  return (await users.where('disabled_at', 'is not', null).execute()).map(({ name }) => name);
}

/** Names of the plans in use. */
export async function plansInUse(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('users').select('plan').distinct().execute();
  return rows.map(({ plan }) => plan);
}

function usersWithKeys(db: Db) {
  return db
    .selectFrom('users')
    .selectAll()
    .select([
      sql<number>`(select count(*) from api_keys where user_id = users.id and revoked_at is null)`.as('keys'),
      sql<number | null>`(select max(last_used_at) from api_keys where user_id = users.id)`.as('key_used_at'),
      sql<number | null>`(select max(used_at) from sessions where user_id = users.id)`.as('seen_at'),
      sql<number | null>`(select max(expires_at) from sign_in_links
        where user_id = users.id and key_id is null)`.as('link_until'),
    ]);
}

/** Number of operators who are not disabled, apart from one user. */
export async function countOperators(db: Db, but: string): Promise<number> {
  return await countRows(
    db
      .selectFrom('users')
      .where('role', '=', 'operator')
      .where('disabled_at', 'is', null)
      .where('id', '!=', but),
  );
}

export async function hasPendingJobs(db: Db, owner: string): Promise<boolean> {
  return await exists(db.selectFrom('jobs').select('id').where('owner', '=', owner).where(PENDING).limit(1));
}

/** Jobs deleted per statement: a longer one would block everyone else. */
const DELETED_AT_ONCE = 1_000;

/** Deletes some of an owner's finished jobs; returns how many. */
export async function deleteJobsOf(db: Db, owner: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', 'in', (jobs) =>
      jobs.selectFrom('jobs').select('id').where('owner', '=', owner).where(FINISHED).limit(DELETED_AT_ONCE),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes a user and everything that identifies them or lets them in. Call in a transaction. */
export async function deleteUserRows(tx: Db, { id, owner }: { id: string; owner: string }): Promise<void> {
  await revokeSessionsOf(tx, { user: id });
  await tx.deleteFrom('identities').where('user_id', '=', id).execute();
  await tx.deleteFrom('api_keys').where('user_id', '=', id).execute();
  await tx.deleteFrom('callers').where('owner', '=', owner).execute();
  await tx.deleteFrom('users').where('id', '=', id).execute();
  tx.store.keyOwners.forget();
}

export type ProviderSubject = Pick<FirstSignInRow, 'issuer' | 'subject'>;

/** The user to whom a person is linked. */
export async function findLinkedUser(
  db: Db,
  { issuer, subject }: ProviderSubject,
): Promise<UserRow | undefined> {
  return await db
    .selectFrom('users')
    .selectAll('users')
    .innerJoin('identities', 'identities.user_id', 'users.id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Links a person to a user. False if the person is already linked. */
export async function linkSubject(
  db: Db,
  { issuer, subject }: ProviderSubject,
  { id: user_id }: Pick<UserRow, 'id'>,
  created_at: number,
): Promise<boolean> {
  return await insertNew(db, 'identities', { issuer, subject, user_id, created_at });
}

/** A person who is linked to a user. */
export type LinkedIdentity = Pick<IdentityRow, 'issuer' | 'subject' | 'created_at'>;

/** The people who sign in as a user, oldest link first. */
export async function listLinked(db: Db, userId: string): Promise<LinkedIdentity[]> {
  return await db
    .selectFrom('identities')
    .select(['issuer', 'subject', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('issuer')
    .orderBy('subject')
    .execute();
}

export async function unlinkSubject(db: Db, { issuer, subject }: ProviderSubject): Promise<void> {
  await db.deleteFrom('identities').where('issuer', '=', issuer).where('subject', '=', subject).execute();
}

/** Replaces an earlier one: each person has at most one. */
export async function insertFirstSignIn(db: Db, row: FirstSignInRow): Promise<void> {
  await db
    .deleteFrom('first_sign_ins')
    .where('issuer', '=', row.issuer)
    .where('subject', '=', row.subject)
    .execute();
  await db.insertInto('first_sign_ins').values(row).execute();
}

/** Undefined if there is none or it has expired. */
export async function findFirstSignIn(
  db: Db,
  hash: string,
  now: number,
): Promise<FirstSignInRow | undefined> {
  return await db
    .selectFrom('first_sign_ins')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export async function deleteFirstSignIn(db: Db, hash: string): Promise<void> {
  await db.deleteFrom('first_sign_ins').where('hash', '=', hash).execute();
}
