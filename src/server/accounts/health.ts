import { GameError } from '../../game/errors.ts';
import { fetchAccount, ownsGame } from '../../game/skins.ts';
import { findAccount } from '../store/accounts.ts';
import type { AccountRow } from '../store/tables.ts';
import type { AccountDesk } from './desk.ts';
import { AccountFault } from './faults.ts';
import type { HeldAccount } from './held-account.ts';

export interface AccountHealth {
  /** As it is after the look. */
  readonly account: AccountRow;
  /** Sentences; none: it can be used. */
  readonly problems: readonly string[];
}

/** Milliseconds that a look may take, waiting for its turn at the game's services included. */
const LIMIT = 60_000;

/**
 * Looks after an account: its token, its profile, whether it owns the game, what rests on it. One whose token is
 * good after all is used again. Undefined: there is no such account.
 */
export async function checkAccount(desk: AccountDesk, uuid: string): Promise<AccountHealth | undefined> {
  const { db, rules, clock } = desk.tools;
  const taken = await desk.takeThis(uuid);
  const signal = AbortSignal.timeout(LIMIT);
  // One that is in use is looked after by whoever uses it.
  const found = taken ? await problemsOf(() => desk.use(taken, { signal }, (held) => look(held))) : [];
  const account = await findAccount(db, uuid);
  if (!account) return undefined;
  return {
    account,
    problems: [...found, ...standing(account, { now: clock.now(), maxStreak: rules.maxStreak })],
  };
}

async function look(held: HeldAccount): Promise<void> {
  const profile = await held.call((token, signal) => fetchAccount(held.http, token, signal));
  const isOwner = await held.call((token, signal) => ownsGame(held.http, token, signal));
  if (!isOwner) throw new AccountFault('no_profile', 'The account does not own the game.');
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
  paused: 'It is paused.',
  suspended: 'The game has suspended it: see to it with its owner, then resume it.',
  needs_login: 'It must be linked again.',
};

function standing(
  { state, error_streak, cool_until }: AccountRow,
  { now, maxStreak }: { readonly now: number; readonly maxStreak: number },
): string[] {
  const isTired = error_streak >= maxStreak;
  const rest = Math.ceil((cool_until - now) / 1000);
  return [
    STANDINGS[state],
    isTired ? `It has failed ${error_streak} times in a row: resume it once you know why.` : undefined,
    rest > 0 ? `It rests for ${rest} s more.` : undefined,
  ].filter((problem) => problem !== undefined);
}
