import { setImmediate } from 'node:timers/promises';
import type { StoreQueue } from '../../queue/store-queue.ts';
import { listAccounts } from '../../store/accounts.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement, lockOwner } from '../../store/locks.ts';
import { countOperators, deleteJobsOf, deleteUserRows, hasPendingJobs } from '../../store/sessions.ts';
import { deleteSetsOf } from '../../store/sets.ts';
import { changeSkin, countOpenSkins, deleteSkinRow, type OwnSkin, skinsOfOwner } from '../../store/skins.ts';
import { type AccountsContext, unlinkGameAccount } from '../accounts/accounts.ts';
import { type Caller, requireUser, type UserCaller } from '../callers/caller.ts';
import { noteRevocation } from '../callers/open-requests.ts';
import { Refusal } from '../refusal.ts';
import { withdrawData } from '../skins/identity.ts';
import { isOwner } from './users.ts';

export interface DeletionContext extends Pick<AccountsContext, 'accounts' | 'signals' | 'db'> {
  readonly queue: Pick<StoreQueue, 'giveUpWaiting'>;
}

/** What becomes of the skins that others can see: they are deleted, or stay without a name and without an owner. */
export type SharedSkins = 'delete' | 'leave';

/** The error of a job that was ended because its user deleted the account. */
const DELETED = {
  code: 'job_failed',
  message: 'The user of this job deleted their account before it started.',
  passing: false,
} as const;

export interface Deletion {
  /** Numbers of the caller's skins that others can see. */
  readonly shared: { readonly public: number; readonly unlisted: number };
  /** Why the account cannot be deleted; undefined: it can. */
  readonly obstacle: string | undefined;
}

/** What the caller must know before. @throws Refusal `unauthorized` */
export async function readDeletion({ db }: { readonly db: Db }, caller: Caller): Promise<Deletion> {
  const user = requireUser(caller);
  return { shared: await countOpenSkins(db, user.owner), obstacle: await obstacleTo(db, user) };
}

/**
 * Deletes the caller's account: keys, sessions, sign-ins, game accounts, jobs, sets and skins. The account goes last, so
 * that it can be deleted again if this was interrupted.
 * @throws Refusal for the owner, the last operator, and while a skin is being made or a game account is in use
 */
export async function deleteAccount(
  context: DeletionContext,
  caller: Caller,
  shared: SharedSkins,
): Promise<void> {
  const user = requireUser(caller);
  const { db, queue, signals } = context;
  const { owner } = user;
  await verifyDeletable(db, user);
  for (const uuid of await queue.giveUpWaiting(owner, DELETED)) signals.finished({ uuid, owner });
  await verifyIdle(db, owner);
  for (const account of await listAccounts(db))
    if (account.owner === owner) await unlinkGameAccount(context, caller, account.uuid);
  await deleteSetsOf(db, owner);
  await removeSkins(db, owner, shared);
  while ((await deleteJobsOf(db, owner)) > 0) await setImmediate(); // lets SQLite serve others
  await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    await lockOwner(tx, owner);
    await verifyDeletable(tx, user);
    await verifyIdle(tx, owner);
    await noteRevocation(tx);
    await deleteUserRows(tx, user);
  });
}

async function obstacleTo(db: Db, user: UserCaller): Promise<string | undefined> {
  if (isOwner(user)) return 'The service makes this account at each start, so it cannot be deleted.';
  if ((await countOperators(db, user.id)) > 0) return undefined;
  return 'You are the last operator of this service, so your account cannot be deleted.';
}

/** @throws Refusal `invalid_request` */
async function verifyDeletable(db: Db, user: UserCaller): Promise<void> {
  const obstacle = await obstacleTo(db, user);
  if (obstacle !== undefined) throw new Refusal('invalid_request', obstacle);
}

/** @throws Refusal `service_unavailable` */
async function verifyIdle(db: Db, owner: string): Promise<void> {
  if (!(await hasPendingJobs(db, owner))) return;
  throw new Refusal('service_unavailable', 'A skin of yours is still being made. Try again in a moment.');
}

/** Skins removed in one transaction, so that other requests do not have to wait for all of them. */
const CHUNK = 25;

async function removeSkins(db: Db, owner: string, shared: SharedSkins): Promise<void> {
  for (let after = 0; ; ) {
    const skins = await inTransaction(db, async (tx) => {
      await lockManagement(tx);
      const some = await skinsOfOwner(tx, owner, { after, size: CHUNK });
      for (const skin of some) await removeSkin(tx, skin, shared);
      return some;
    });
    if (skins.length < CHUNK) return;
    after = skins.at(-1)!.id;
    await setImmediate(); // lets SQLite serve others
  }
}

async function removeSkin(tx: Db, { id, visibility, identity }: OwnSkin, shared: SharedSkins): Promise<void> {
  if (shared === 'leave' && visibility !== 'private') return await changeSkin(tx, id, { name: null });
  await deleteSkinRow(tx, id);
  await withdrawData(tx, identity);
}
