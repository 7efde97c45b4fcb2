import type { AccountRow } from '../store/tables.ts';
import type { AccountRules } from './rules.ts';

type Rules = Pick<AccountRules, 'delay' | 'maxStreak'>;

/** Whoever looks for an account that is in use looks again no sooner than this, in milliseconds. */
const LEAST_WAIT = 100;

/**
 * When an account can next be used, at the earliest; it may be in the past. Undefined: not before somebody looks
 * after it. One that is in use comes back with its change made, so its delay begins then.
 */
export function freeAt(account: AccountRow, { delay, maxStreak }: Rules, now: number): number | undefined {
  if (account.state !== 'active' || account.error_streak >= maxStreak) return undefined;
  const returned = account.lease_owner === null ? 0 : now + Math.max(delay, LEAST_WAIT);
  return Math.max(account.last_used_at + delay, account.cool_until, returned);
}

/** Of those that can be used now, the one that was used the longest ago. */
export function leastRecentlyUsed(
  accounts: readonly AccountRow[],
  rules: Rules,
  now: number,
): AccountRow | undefined {
  const isFree = (account: AccountRow) => (freeAt(account, rules, now) ?? Number.POSITIVE_INFINITY) <= now;
  return accounts.filter(isFree).toSorted((a, b) => a.last_used_at - b.last_used_at)[0];
}

/**
 * When a generation can begin that comes after `ahead` others: each account takes one in its turn. Undefined when
 * there is no account to wait for.
 */
export function nextStart(
  accounts: readonly AccountRow[],
  rules: Rules,
  { now, ahead }: { readonly now: number; readonly ahead: number },
): number | undefined {
  const times = accounts.map((account) => freeAt(account, rules, now)).filter((time) => time !== undefined);
  const first = times.toSorted((a, b) => a - b)[ahead % times.length];
  return first === undefined
    ? undefined
    : Math.max(now, first) + Math.floor(ahead / times.length) * rules.delay;
}
