import type { Db } from './db.ts';
import type { FirstSignInRow, IdentityRow, UserRow } from './schema/tables.ts';

/** A person at a provider. */
export type ProviderSubject = Pick<FirstSignInRow, 'issuer' | 'subject'>;

/** The user whom a person is tied to. */
export async function findTiedUser(
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

/** Ties a person to a user. False if the person is tied already. */
export async function tie(
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

/** A person who is tied to a user. */
export type TiedIdentity = Pick<IdentityRow, 'issuer' | 'subject' | 'created_at'>;

/** The people who sign in as a user, the first one first. */
export async function listTied(db: Db, userId: string): Promise<TiedIdentity[]> {
  return await db
    .selectFrom('identities')
    .select(['issuer', 'subject', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('issuer')
    .orderBy('subject')
    .execute();
}

export async function untie(db: Db, { issuer, subject }: ProviderSubject): Promise<void> {
  await db.deleteFrom('identities').where('issuer', '=', issuer).where('subject', '=', subject).execute();
}

/** Each person has at most one. */
export async function insertFirstSignIn(db: Db, row: FirstSignInRow): Promise<void> {
  await db
    .deleteFrom('first_sign_ins')
    .where('issuer', '=', row.issuer)
    .where('subject', '=', row.subject)
    .execute();
  await db.insertInto('first_sign_ins').values(row).execute();
}

/** Undefined if there is none, or it has expired. */
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
