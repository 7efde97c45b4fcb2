import type { z } from 'zod';
import { GameError } from '../../../game/errors.ts';
import { LoginError } from '../../../game/login.ts';
import type {
  BegunGameLogin,
  GameAccount,
  GameAccountCheck,
  GameLogin,
  gameAccountBodySchema,
  gameAccountChangeSchema,
  gameLoginBodySchema,
} from '../../../protocol/game-account.ts';
import { checkAccount } from '../../accounts/account-pool.ts';
import { accountsFor, freeAt } from '../../accounts/availability.ts';
import { AccountFault, AccountKeyError, AccountLostError } from '../../accounts/held-account.ts';
import {
  type Accounts,
  type BegunLogin,
  LinkError,
  type Linker,
  MAX_ACCOUNTS,
  unlinkAccount,
} from '../../accounts/linking.ts';
import type { JobSignals } from '../../events.ts';
import { changeAccount, findAccount, type LinkedAccount, listAccounts } from '../../store/accounts.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { AccountRow } from '../../store/schema/tables.ts';
import { type Caller, requireUser, type StoreContext, type UserCaller } from '../callers.ts';
import { Refusal } from '../refusal.ts';

export interface AccountsContext extends StoreContext {
  readonly signals: JobSignals;
  readonly accounts: Accounts;
  /** Whether regular users may link game accounts. */
  readonly usersMayLink: boolean;
}

/** Maximum accounts that a regular user may link. */
const MAX_PER_USER = 25;

/** The caller's linked game accounts, or all for an operator, by name. @throws Refusal `unauthorized` */
export async function readGameAccounts(context: AccountsContext, caller: Caller): Promise<GameAccount[]> {
  const user = requireUser(caller);
  const accounts = await listAccounts(context.db);
  return accounts
    .filter((account) => mayManage(user, account))
    .map((account) => accountView(context, account));
}

/** Whether there is an account that may make the caller's skins: its own, or one that others share. */
export async function hasGameAccount(
  { db }: Pick<AccountsContext, 'db'>,
  { owner }: Caller,
): Promise<boolean> {
  return accountsFor(await listAccounts(db), owner).length > 0;
}

/** @throws Refusal `invalid_request`, `service_unavailable`, `insufficient_grants` */
export async function linkGameAccount(
  context: AccountsContext,
  caller: Caller,
  { token, share }: z.output<typeof gameAccountBodySchema>,
): Promise<GameAccount> {
  const linker = linkerOf(context, caller, share);
  const account = await orRefusal(() => context.accounts.linking.linkToken(token, linker));
  context.signals.work();
  return accountView(context, account);
}

/** @throws Refusal `invalid_request`, `service_unavailable`, `insufficient_grants` */
export async function beginGameLogin(
  context: AccountsContext,
  caller: Caller,
  { share }: z.output<typeof gameLoginBodySchema>,
): Promise<BegunGameLogin> {
  const linker = linkerOf(context, caller, share);
  return begunView(await orRefusal(() => context.accounts.linking.begin(linker)));
}

/** The initial data of a sign-in that the caller started. @throws Refusal `not_found` */
export function findGameLogin(context: AccountsContext, caller: Caller, id: string): BegunGameLogin {
  const { owner } = verifyMayLink(context, caller);
  const found = context.accounts.linking.find(id, owner);
  if (!found) throw noSuchLogin();
  return begunView(found);
}

function begunView({ expiresAt, interval, ...rest }: BegunLogin): BegunGameLogin {
  return { ...rest, expiresAt: isoTime(expiresAt), interval: interval / 1000 };
}

function noSuchLogin(): Refusal {
  return new Refusal('not_found', 'Sign-in not found, or expired.');
}

/**
 * The state of a sign-in that the caller started.
 * @throws Refusal `not_found`; `service_unavailable`, after which it may be polled again
 */
export async function readGameLogin(
  context: AccountsContext,
  caller: Caller,
  id: string,
): Promise<GameLogin> {
  const { owner } = verifyMayLink(context, caller);
  try {
    const found = await context.accounts.linking.poll(id, owner);
    if (found === 'unknown') throw noSuchLogin();
    if (found === 'waiting') return { login: { status: 'waiting' } };
    context.signals.work();
    return { login: { status: 'linked' }, account: accountView(context, found) };
  } catch (error) {
    if (isFinal(error)) return { login: { status: 'failed', message: error.message } };
    throw asRefusal(error);
  }
}

/** @throws Refusal `not_found`; `insufficient_grants` for another user's consent */
export async function changeGameAccount(
  context: AccountsContext,
  caller: Caller,
  uuid: string,
  change: z.output<typeof gameAccountChangeSchema>,
): Promise<GameAccount> {
  const { paused, restore, capes, share } = change;
  const changed = await inManagement(context.db, async (tx) => {
    const account = await findOwn(tx, caller, uuid);
    verifyConsent(caller, account, change);
    await changeAccount(tx, uuid, {
      ...(paused === true && { state: 'paused' }),
      ...(paused === false && { state: 'active', error_streak: 0, cool_until: 0 }),
      ...(restore !== undefined && { restores: Number(restore) }),
      ...(capes !== undefined && { shows_cape: Number(capes), cape_checked_at: 0 }),
      ...(share !== undefined && { shared: Number(share) }),
    });
    return await findOwn(tx, caller, uuid);
  });
  context.signals.work();
  return accountView(context, changed);
}

/** Returns whether its previous skin was restored. @throws Refusal `not_found`, `service_unavailable` */
export async function unlinkGameAccount(
  { accounts, db }: Pick<AccountsContext, 'accounts' | 'db'>,
  caller: Caller,
  uuid: string,
): Promise<'restored' | 'not_needed' | 'not_restored'> {
  const outcome = await unlinkAccount(accounts.pool, await findOwn(db, caller, uuid));
  if (outcome === 'unknown') throw accountNotFound(uuid);
  if (outcome !== 'in_use') return outcome;
  throw new Refusal('service_unavailable', 'The account is in use. It is now paused; try again in a minute.');
}

/** Checks an account with the game. @throws Refusal `not_found` */
export async function checkGameAccount(
  context: AccountsContext,
  caller: Caller,
  uuid: string,
): Promise<GameAccountCheck> {
  await findOwn(context.db, caller, uuid);
  const health = await checkAccount(context.accounts.pool, uuid);
  if (!health) throw accountNotFound(uuid);
  return { account: accountView(context, health.account), problems: [...health.problems] };
}

/** @throws Refusal `insufficient_grants` if only operators may link accounts */
export function verifyMayLink(
  { usersMayLink }: Pick<AccountsContext, 'usersMayLink'>,
  caller: Caller,
): UserCaller {
  const user = requireUser(caller);
  if (usersMayLink || user.isOperator) return user;
  throw new Refusal('insufficient_grants', 'Only the operator of this service may link game accounts.');
}

function linkerOf(context: AccountsContext, caller: Caller, share: boolean | undefined): Linker {
  const { owner, isOperator } = verifyMayLink(context, caller);
  return { owner, share, sharesByDefault: isOperator, most: isOperator ? MAX_ACCOUNTS : MAX_PER_USER };
}

function mayManage({ owner, isOperator }: UserCaller, account: AccountRow): boolean {
  return isOperator || account.owner === owner;
}

/** Another user's account is treated like a missing one. @throws Refusal `not_found` */
export async function findOwn(db: Db, caller: Caller, uuid: string): Promise<LinkedAccount> {
  const user = requireUser(caller);
  const account = await findAccount(db, uuid);
  if (account && mayManage(user, account)) return account;
  throw accountNotFound(uuid);
}

/** An operator can withdraw a user's consent but not give it. @throws Refusal */
function verifyConsent(
  caller: Caller,
  { owner, user }: LinkedAccount,
  { share, capes }: z.output<typeof gameAccountChangeSchema>,
): void {
  if (owner === caller.owner || !(share || capes)) return;
  throw onlyByUser(user, `agree to ${share ? 'share it' : 'show its cape'}`);
}

export function onlyByUser(user: string | null, what: string): Refusal {
  return new Refusal('insufficient_grants', `Only ${user ?? 'the user who linked the account'} can ${what}.`);
}

/** Refuses what goes wrong with an account or with Mojang. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error);
  }
}

function isFinal(error: unknown): error is Error {
  return error instanceof LinkError || error instanceof LoginError;
}

function asRefusal(cause: unknown): unknown {
  if (isFinal(cause)) return new Refusal('invalid_request', { message: cause.message, cause });
  if (cause instanceof GameError && cause.kind === 'bad_image')
    return new Refusal('invalid_image', { message: 'Mojang does not accept this picture as a skin.', cause });
  // Their messages contain no tokens.
  if (cause instanceof GameError || cause instanceof AccountFault || cause instanceof AccountLostError)
    return new Refusal('service_unavailable', { message: cause.message, cause });
  if (!(cause instanceof AccountKeyError)) return cause;
  return new Refusal('service_unavailable', { message: 'The key file for accounts cannot be used.', cause });
}

function accountNotFound(uuid: string): Refusal {
  return new Refusal('not_found', `No linked account ${uuid}.`);
}

export function accountView({ accounts, clock }: AccountsContext, account: LinkedAccount): GameAccount {
  const now = clock.now();
  const free = freeAt(account, accounts.pool.context.rules, now);
  const { cool_until, last_used_at, last_error_code: code, last_error_at: at } = account;
  const message = account.last_error_message ?? '';
  return {
    uuid: account.uuid,
    name: account.name,
    ...(account.user !== null && { user: account.user }),
    share: account.shared === 1,
    state: account.state,
    restore: account.restores === 1,
    capes: account.shows_cape === 1,
    inUse: account.lease_owner !== null,
    ...(free !== undefined && { freeAt: isoTime(Math.max(now, free)) }),
    ...(cool_until > now && { coolUntil: isoTime(cool_until) }),
    errorStreak: account.error_streak,
    ...(code !== null && { lastError: { code, message, at: isoTime(at ?? 0) } }),
    ...(last_used_at > 0 && { lastUsedAt: isoTime(last_used_at) }),
    linkedAt: isoTime(account.linked_at),
    generated: account.generated,
    failed: account.failed,
  };
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
