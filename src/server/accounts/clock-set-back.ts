import type { AccountRow } from '../store/schema/account-tables.ts';
import type { AccountRules } from './rules.ts';

type Times = Pick<AccountRow, 'lease_until' | 'last_used_at' | 'cool_until' | 'last_error_at'>;

/**
 * The changes to an account whose times are from before the clock was set back: it rests as long as it would have then,
 * counted from now, and a lease lasts no longer than one that starts now. Undefined: no change.
 */
export function timesOfNow(account: Times, rules: AccountRules, now: number): Partial<Times> | undefined {
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
