import type { ClaimBounds } from '../queue/port.ts';
import type { AccountRow } from '../store/schema/tables.ts';

/** How linked game accounts are used. Times are in milliseconds. */
export interface AccountRules {
  /** Minimum time between two skin changes of one account. */
  readonly delay: number;
  /** How long an account rests after a refusal by the game, unless the game names a time. */
  readonly coolDown: number;
  /** Number of failures in a row after which an account waits for the operator. */
  readonly maxStreak: number;
  /** How long an account is reserved for a process that does not renew its lease. */
  readonly lease: number;
  /** Idle time after which an account gets its own skin back, if its owner wants that. */
  readonly idle: number;
  /** How long an account that was seen without a cape is assumed to wear none. */
  readonly capeMemory: number;
  /** Pause before each look for the new skin: there are as many looks as pauses. */
  readonly looks: readonly number[];
}

/** The known rules of the hosted service for its accounts. */
export const ACCOUNT_RULES: AccountRules = {
  delay: 15_000,
  coolDown: 650_000,
  maxStreak: 10,
  lease: 15_000,
  idle: 600_000,
  capeMemory: 300_000,
  looks: [200, 3_000, 3_000, 3_000],
};

type Rules = Pick<AccountRules, 'delay' | 'maxStreak'>;

/** Minimum milliseconds until the next look for an account that is in use. */
const LEAST_WAIT = 100;

/**
 * The earliest time at which an account is usable, perhaps in the past. Undefined: not before someone repairs it. An
 * account in use returns with its skin changed, so its delay starts then.
 */
export function freeAt(account: AccountRow, { delay, maxStreak }: Rules, now: number): number | undefined {
  if (account.state !== 'active' || account.error_streak >= maxStreak) return undefined;
  const returned = account.lease_owner === null ? 0 : now + Math.max(delay, LEAST_WAIT);
  return Math.max(account.last_used_at + delay, account.cool_until, returned);
}

/** The least recently used of the accounts that are usable now. */
export function leastRecentlyUsed(
  accounts: readonly AccountRow[],
  rules: Rules,
  now: number,
): AccountRow | undefined {
  const isFree = (account: AccountRow) => (freeAt(account, rules, now) ?? Number.POSITIVE_INFINITY) <= now;
  return accounts.filter(isFree).toSorted((a, b) => a.last_used_at - b.last_used_at)[0];
}

/** The accounts that may make an owner's skins: its own, and those shared by others. */
export function accountsFor<A extends AccountRow>(accounts: readonly A[], owner: string): A[] {
  return accounts.filter((account) => account.owner === owner || account.shared === 1);
}

/** The account for an owner's next skin, from those usable now: its own before those shared by others. */
export function nextAccount(
  accounts: readonly AccountRow[],
  rules: Rules,
  { now, owner }: { readonly now: number; readonly owner: string },
): AccountRow | undefined {
  const own = accounts.filter((account) => account.owner === owner);
  return leastRecentlyUsed(own, rules, now) ?? leastRecentlyUsed(accountsFor(accounts, owner), rules, now);
}

export interface QueuedGeneration {
  readonly now: number;
  readonly owner: string;
  /** Owners of the generations before it, in order; or only their number, if nothing else is known. */
  readonly ahead: readonly string[] | number;
}

/**
 * When an owner's generation can start behind others: each account takes one in turn. Undefined if there is no account
 * to wait for.
 */
export function nextStart(
  accounts: readonly AccountRow[],
  rules: Rules,
  { now, owner, ahead }: QueuedGeneration,
): number | undefined {
  const starts = new Map<AccountRow, number>();
  for (const account of accounts) {
    const free = freeAt(account, rules, now);
    if (free !== undefined) starts.set(account, Math.max(now, free));
  }
  const pool = accountsFor([...starts.keys()], owner);
  const [before, rounds] =
    typeof ahead === 'number' ? inRounds(ahead, { owner, size: pool.length }) : [ahead, 0];
  for (const one of before) {
    const account = firstOf(starts, one);
    if (account) starts.set(account, (starts.get(account) ?? now) + rules.delay);
  }
  const account = firstOf(starts, owner);
  const start = account && starts.get(account);
  return start === undefined ? undefined : start + rounds * rules.delay;
}

/** Estimates as if all of them waited for the same accounts: whole rounds, and the remainder. */
function inRounds(count: number, { owner, size }: { owner: string; size: number }): [string[], number] {
  if (size === 0) return [[], 0];
  return [Array.from({ length: count % size }, () => owner), Math.floor(count / size)];
}

function firstOf(starts: ReadonlyMap<AccountRow, number>, owner: string): AccountRow | undefined {
  const order = (account: AccountRow) => [starts.get(account) ?? 0, account.owner === owner ? 0 : 1] as const;
  return accountsFor([...starts.keys()], owner).reduce<AccountRow | undefined>((first, account) => {
    if (!first) return account;
    const [[a, own], [b, other]] = [order(account), order(first)];
    return a < b || (a === b && own < other) ? account : first;
  }, undefined);
}

/**
 * Owners whose jobs can start now. The others wait for an account, and must not delay owners whose account is free.
 * Includes owners without any account to wait for, whose jobs fail with the reason.
 */
export function readyOwners(
  accounts: readonly AccountRow[],
  rules: Rules,
  now: number,
): Pick<ClaimBounds, 'owners' | 'until'> {
  const usable = accounts.flatMap((account) => {
    const at = freeAt(account, rules, now);
    return at === undefined ? [] : [{ owner: account.owner, isShared: account.shared === 1, at }];
  });
  const shared = usable.filter(({ isShared }) => isShared);
  const later = usable.filter(({ at }) => at > now);
  if (later.length === 0 || shared.some(({ at }) => at <= now)) return {};
  const free = new Set(usable.filter(({ at }) => at <= now).map(({ owner }) => owner));
  const held = later.map(({ owner }) => owner).filter((owner) => !free.has(owner));
  const owners = shared.length > 0 ? { only: [...free] } : { except: [...new Set(held)] };
  return { owners, until: Math.min(...later.map(({ at }) => at)) };
}

type Times = Pick<AccountRow, 'lease_until' | 'last_used_at' | 'cool_until' | 'last_error_at'>;

/**
 * The changes to an account whose times are from before the clock was set back: it rests as long as it would have then,
 * counted from now, and a lease lasts no longer than one that starts now. Undefined: no change.
 */
export function correctedTimes(account: Times, rules: AccountRules, now: number): Partial<Times> | undefined {
  const { lease_until: until, last_used_at: used, cool_until: cool, last_error_at: failed } = account;
  const longest = now + rules.lease;
  const change: Partial<Times> = {
    ...(until !== null && until > longest && { lease_until: longest }),
    ...(used > now && { last_used_at: now }),
    ...(failed !== null &&
      failed > now && { last_error_at: now, cool_until: now + Math.max(0, cool - failed) }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}
