import type { z } from 'zod';
import { GameError } from '../../game/errors.ts';
import { LoginError } from '../../game/login/login-error.ts';
import type {
  BegunGameLogin,
  GameAccount,
  GameAccountCheck,
  GameLogin,
  gameAccountChangeSchema,
} from '../../protocol/game-account.ts';
import { freeAt } from '../accounts/availability.ts';
import { checkAccount } from '../accounts/health.ts';
import { LinkError } from '../accounts/linking.ts';
import { AccountKeyError } from '../accounts/token-cipher.ts';
import { unlinkAccount } from '../accounts/unlink.ts';
import { changeAccount, findAccount, listAccounts } from '../store/accounts.ts';
import type { AccountRow } from '../store/tables.ts';
import { type Caller, requireOperator } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { Refusal } from './refusal.ts';

/** All linked game accounts, by name. @throws Refusal for others than the operator, as all of these do */
export async function readGameAccounts(context: ServiceContext, caller: Caller): Promise<GameAccount[]> {
  requireOperator(caller);
  return (await listAccounts(context.db)).map((account) => accountView(context, account));
}

/** @throws Refusal `invalid_request`, `service_unavailable` */
export async function linkGameAccount(
  context: ServiceContext,
  caller: Caller,
  token: string,
): Promise<GameAccount> {
  requireOperator(caller);
  const account = await told(() => context.accounts.linking.linkToken(token));
  context.signals.work();
  return accountView(context, account);
}

/** @throws Refusal `invalid_request`, `service_unavailable` */
export async function beginGameLogin(context: ServiceContext, caller: Caller): Promise<BegunGameLogin> {
  requireOperator(caller);
  const { expiresAt, interval, ...rest } = await told(() => context.accounts.linking.begin());
  return { ...rest, expiresAt: isoTime(expiresAt), interval: interval / 1000 };
}

/** How a sign-in stands. @throws Refusal `not_found`, `service_unavailable`, after which it may be asked again */
export async function readGameLogin(context: ServiceContext, caller: Caller, id: string): Promise<GameLogin> {
  requireOperator(caller);
  try {
    const found = await context.accounts.linking.poll(id);
    if (found === 'unknown') throw new Refusal('not_found', 'There is no such sign-in, or not any more.');
    if (found === 'waiting') return { login: { status: 'waiting' } };
    context.signals.work();
    return { login: { status: 'linked' }, account: accountView(context, found) };
  } catch (error) {
    if (isFinal(error)) return { login: { status: 'failed', message: error.message } };
    throw asRefusal(error);
  }
}

/** @throws Refusal `not_found` */
export async function changeGameAccount(
  context: ServiceContext,
  caller: Caller,
  uuid: string,
  { paused, restore, capes }: z.output<typeof gameAccountChangeSchema>,
): Promise<GameAccount> {
  requireOperator(caller);
  const isThere = await changeAccount(context.db, uuid, {
    ...(paused === true && { state: 'paused' }),
    ...(paused === false && { state: 'active', error_streak: 0, cool_until: 0 }),
    ...(restore !== undefined && { restores: Number(restore) }),
    ...(capes !== undefined && { shows_cape: Number(capes), cape_checked_at: 0 }),
  });
  const account = isThere ? await findAccount(context.db, uuid) : undefined;
  if (!account) throw noSuchAccount(uuid);
  context.signals.work();
  return accountView(context, account);
}

/** Answers whether the skin that it wore before was set again. @throws Refusal `not_found`, `service_unavailable` */
export async function unlinkGameAccount(
  { accounts }: ServiceContext,
  caller: Caller,
  uuid: string,
): Promise<'restored' | 'not_needed' | 'not_restored'> {
  requireOperator(caller);
  const outcome = await unlinkAccount(accounts.desk, uuid);
  if (outcome === 'unknown') throw noSuchAccount(uuid);
  if (outcome !== 'in_use') return outcome;
  throw new Refusal('service_unavailable', 'The account is in use; it is paused now. Try again in a minute.');
}

/** Looks after an account. @throws Refusal `not_found` */
export async function checkGameAccount(
  context: ServiceContext,
  caller: Caller,
  uuid: string,
): Promise<GameAccountCheck> {
  requireOperator(caller);
  const health = await checkAccount(context.accounts.desk, uuid);
  if (!health) throw noSuchAccount(uuid);
  return { account: accountView(context, health.account), problems: [...health.problems] };
}

async function told<T>(work: () => Promise<T>): Promise<T> {
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
  // Their messages are for the operator, who is asking.
  if (cause instanceof GameError)
    return new Refusal('service_unavailable', { message: cause.message, cause });
  if (!(cause instanceof AccountKeyError)) return cause;
  return new Refusal('service_unavailable', { message: 'The key file for accounts cannot be used.', cause });
}

function noSuchAccount(uuid: string): Refusal {
  return new Refusal('not_found', `There is no linked account ${uuid}.`);
}

function accountView({ accounts, clock }: ServiceContext, account: AccountRow): GameAccount {
  const now = clock.now();
  const free = freeAt(account, accounts.desk.tools.rules, now);
  const { cool_until, last_used_at, last_error_code: code, last_error_at: at } = account;
  const message = account.last_error_message ?? '';
  return {
    uuid: account.uuid,
    name: account.name,
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

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
