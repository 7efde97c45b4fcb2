import type { Db } from './store.ts';
import type { AccountRow } from './tables.ts';

/** All linked game accounts, by name. There are no more than a few hundred. */
export async function listAccounts(db: Db): Promise<AccountRow[]> {
  return await db.selectFrom('game_accounts').selectAll().orderBy('name').orderBy('uuid').execute();
}

export async function findAccount(db: Db, uuid: string): Promise<AccountRow | undefined> {
  return await db.selectFrom('game_accounts').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

export async function insertAccount(db: Db, account: AccountRow): Promise<void> {
  await db.insertInto('game_accounts').values(account).execute();
}

/** Whether there is such an account. */
export async function changeAccount(
  db: Db,
  uuid: string,
  change: Partial<Omit<AccountRow, 'uuid'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('game_accounts')
    .set(change)
    .where('uuid', '=', uuid)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deleteAccount(db: Db, uuid: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('game_accounts').where('uuid', '=', uuid).executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Puts other tokens in the place of these, unless somebody else has done so. */
export async function replaceSecret(
  db: Db,
  uuid: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('game_accounts')
    .set({ secret: to })
    .where('uuid', '=', uuid)
    .where('secret', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Takes an account that nobody uses. False when somebody does. */
export async function holdAccount(
  db: Db,
  uuid: string,
  { owner, until }: { readonly owner: string; readonly until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('game_accounts')
    .set({ lease_owner: owner, lease_until: until })
    .where('uuid', '=', uuid)
    .where('lease_owner', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Changes an account for whoever holds it. False when it is (no longer) held by `owner`. */
export async function changeHeldAccount(
  db: Db,
  { uuid, owner }: { readonly uuid: string; readonly owner: string },
  change: Partial<Omit<AccountRow, 'uuid'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('game_accounts')
    .set(change)
    .where('uuid', '=', uuid)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
