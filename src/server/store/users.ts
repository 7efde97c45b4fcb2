import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './db.ts';
import type { FirstSignInRow, IdentityRow, UserRow } from './schema/tables.ts';

export async function findUserByName(db: Db, name: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function findUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Adds the user unless the name is taken; returns the user who then has the name. */
export async function ensureUser(db: Db, user: UserRow): Promise<UserRow> {
  const there = await findUserByName(db, user.name);
  if (there) return there;
  await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return await db.selectFrom('users').selectAll().where('name', '=', user.name).executeTakeFirstOrThrow();
}

/** A user with the number of its API keys that are not revoked. */
export type UserWithKeys = UserRow & { readonly keys: number };

/** Adds the user. False if the name is taken. */
export async function insertUser(db: Db, user: UserRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

export async function findUserWithKeys(db: Db, name: string): Promise<UserWithKeys | undefined> {
  return await usersWithKeys(db).where('name', '=', name).executeTakeFirst();
}

/** Users ordered by name. `after`: the last name of the previous page. `filter`: part of the names, in any case. */
export async function listUsers(
  db: Db,
  { after, size, filter }: { after?: string | undefined; size: number; filter?: string | undefined },
): Promise<UserWithKeys[]> {
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
  change: Partial<Pick<UserRow, 'plan' | 'role' | 'disabled_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set(change)
    .where('name', '=', name)
    .executeTakeFirst();
  db.store.keyOwners.forget();
  return numUpdatedRows > 0n;
}

/** IDs of disabled users. */
export async function listDisabled(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('users').select('id').where('disabled_at', 'is not', null).execute();
  return rows.map(({ id }) => id);
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
    .select((eb) =>
      eb
        .selectFrom('api_keys')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('api_keys.user_id', '=', 'users.id')
        .where('api_keys.revoked_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('keys'),
    );
}

/** A person at a provider. */
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
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('identities')
    .values({ issuer, subject, user_id, created_at })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
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
