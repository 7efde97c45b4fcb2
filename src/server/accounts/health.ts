import { GameError } from '../../game/errors.ts';
import { fetchAccount } from '../../game/skins.ts';
import { findAccount, type LinkedAccount } from '../store/accounts.ts';
import type { AccountRow } from '../store/schema/tables.ts';
import type { AccountPool } from './account-pool.ts';
import { AccountFault, type HeldAccount } from './held-account.ts';

export interface AccountHealth {
  /** The account after the check. */
  readonly account: LinkedAccount;
  /** Sentences; empty if the account is usable. */
  readonly problems: readonly string[];
}

/** Time limit of a check in milliseconds, including the wait for its turn at the game's services. */
const LIMIT = 60_000;

/**
 * Checks an account: its token, its profile (which only owners of the game have), its restrictions. If its token turns
 * out to be valid, the account is used again. Undefined: the account does not exist.
 */
export async function checkAccount(pool: AccountPool, uuid: string): Promise<AccountHealth | undefined> {
  const { db, rules, clock } = pool.context;
  const taken = await pool.takeThis(uuid);
  const signal = AbortSignal.timeout(LIMIT);
  // The process that uses an account checks it.
  const found = taken ? await problemsOf(() => pool.use(taken, { signal }, (held) => look(held))) : [];
  const account = await findAccount(db, uuid);
  if (!account) return undefined;
  return {
    account,
    problems: [...found, ...standing(account, { now: clock.now(), maxStreak: rules.maxStreak })],
  };
}

async function look(held: HeldAccount): Promise<void> {
  const profile = await held.call((token, signal) => fetchAccount(held.http, token, signal));
  const isBack = held.row.state === 'needs_login';
  await held.note({ name: profile.name, ...(isBack && { state: 'active' }) });
}

async function problemsOf(work: () => Promise<void>): Promise<string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof AccountFault || error instanceof GameError) return [error.message];
    throw error;
  }
}

const STANDINGS: Readonly<Record<AccountRow['state'], string | undefined>> = {
  active: undefined,
  paused: 'The account is paused.',
  suspended: 'The game has suspended the account. Settle this with its owner, then resume it.',
  needs_login: 'The account needs to be linked again.',
};

function standing(
  { state, error_streak, cool_until }: AccountRow,
  { now, maxStreak }: { readonly now: number; readonly maxStreak: number },
): string[] {
  const isTired = error_streak >= maxStreak;
  const rest = Math.ceil((cool_until - now) / 1000);
  return [
    STANDINGS[state],
    isTired
      ? `The account has failed ${error_streak} times in a row. Resume it once you know why.`
      : undefined,
    rest > 0 ? `The account rests for ${rest} s more.` : undefined,
  ].filter((problem) => problem !== undefined);
}
