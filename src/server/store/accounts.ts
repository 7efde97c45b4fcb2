import { sql } from 'kysely';
import { type Db, hasEffect } from './db.ts';
import type { AccountRow } from './schema/tables.ts';

/** An account with its user. */
export type LinkedAccount = AccountRow & {
  /** Name of the user who linked it; null: the user no longer exists. */
  readonly user: string | null;
  /** When that user was disabled. */
  readonly disabled_at: number | null;
};

/** All linked game accounts, by name. There are no more than a few hundred. */
export async function listAccounts(db: Db): Promise<LinkedAccount[]> {
  return await linkedAccounts(db).orderBy('game_accounts.name').orderBy('uuid').execute();
}

export async function findAccount(db: Db, uuid: string): Promise<LinkedAccount | undefined> {
  return await linkedAccounts(db).where('uuid', '=', uuid).executeTakeFirst();
}

function linkedAccounts(db: Db) {
  return db
    .selectFrom('game_accounts')
    .leftJoin('users', (join) => join.on(sql<boolean>`'user:' || users.id = game_accounts.owner`))
    .selectAll('game_accounts')
    .select(['users.name as user', 'users.disabled_at']);
}

export async function insertAccount(db: Db, account: AccountRow): Promise<void> {
  await db.insertInto('game_accounts').values(account).execute();
}

/** Returns whether the account exists and, if an owner is given, belongs to that owner. */
export async function changeAccount(
  db: Db,
  uuid: string,
  change: Partial<Omit<AccountRow, 'uuid'>>,
  owner?: string,
): Promise<boolean> {
  const those = db.updateTable('game_accounts').set(change).where('uuid', '=', uuid);
  const query = owner === undefined ? those : those.where('owner', '=', owner);
  return await hasEffect(query);
}

/** Only if it still belongs to this owner. */
export async function deleteAccount(db: Db, uuid: string, owner: string): Promise<void> {
  await db.deleteFrom('game_accounts').where('uuid', '=', uuid).where('owner', '=', owner).execute();
}

/** Replaces these tokens with others, unless another node has done so already. */
export async function replaceSecret(
  db: Db,
  uuid: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  return await hasEffect(
    db.updateTable('game_accounts').set({ secret: to }).where('uuid', '=', uuid).where('secret', '=', from),
  );
}

/**
 * Takes an account that is not in use and unchanged since it was `seen`. False if it is in use or was used since: on
 * PostgreSQL, others work while this one decides.
 */
export async function holdAccount(
  db: Db,
  seen: Pick<AccountRow, 'uuid' | 'secret' | 'last_used_at'>,
  { owner, until }: { readonly owner: string; readonly until: number },
): Promise<boolean> {
  return await hasEffect(
    db
      .updateTable('game_accounts')
      .set({ lease_owner: owner, lease_until: until })
      .where('uuid', '=', seen.uuid)
      .where('secret', '=', seen.secret)
      .where('last_used_at', '=', seen.last_used_at)
      .where('lease_owner', 'is', null),
  );
}

/** Changes an account for its holder. False if it is not (or no longer) held by `owner`. */
export async function changeHeldAccount(
  db: Db,
  { uuid, owner }: { readonly uuid: string; readonly owner: string },
  change: Partial<Omit<AccountRow, 'uuid'>>,
): Promise<boolean> {
  return await hasEffect(
    db.updateTable('game_accounts').set(change).where('uuid', '=', uuid).where('lease_owner', '=', owner),
  );
}
