import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import {
  type AccountProfile,
  activeSkin,
  fetchAccount,
  hideCape,
  resetSkin,
  setSkinFromUrl,
  uploadSkin,
} from '../../game/skins.ts';
import { type Holders, holdersHere, type NodeName, workerName } from '../queue/leases.ts';
import type { ClaimBounds } from '../queue/port.ts';
import {
  changeAccount,
  changeHeldAccount,
  findAccount,
  holdAccount,
  type LinkedAccount,
  listAccounts,
} from '../store/accounts.ts';
import { type Db, inTransaction } from '../store/db.ts';
import type { AccountRow } from '../store/schema/tables.ts';
import { accountsFor, correctedTimes, freeAt, nextAccount, nextStart, readyOwners } from './availability.ts';
import {
  type AccountContext,
  AccountFault,
  accountFaultOf,
  CONSEQUENCES,
  HeldAccount,
} from './held-account.ts';

export interface AccountPoolOptions extends AccountContext {
  readonly self: NodeName;
  /** Tells which holders are gone; default: the process table of this machine. */
  readonly holders?: Holders | undefined;
  readonly onFault: (account: AccountRow, fault: AccountFault) => void;
  /** Called if a lease could not be renewed. */
  readonly onError: (error: unknown) => void;
}

export interface TakenAccount {
  readonly row: AccountRow;
  readonly owner: string;
}

type AccountChoice =
  | ({ readonly kind: 'taken' } & TakenAccount)
  /** All are in use or resting; the first is free at `at`, in milliseconds since the epoch. */
  | { readonly kind: 'later'; readonly at: number }
  /** There is no account to wait for. `linked`: the number of accounts for this owner that need attention. */
  | { readonly kind: 'none'; readonly linked: number };

const RENEWALS_PER_LEASE = 3;
/** Milliseconds between checks whether an account has been returned. */
const RETURN_POLL = 100;

/** Hands out the linked accounts, each to one holder at a time, in this process or another. */
export class AccountPool {
  readonly context: AccountContext;
  readonly #options: AccountPoolOptions;
  #leases = 0;

  constructor(options: AccountPoolOptions) {
    this.#options = options;
    this.context = options;
  }

  /**
   * When an owner's generation can start after those of the owners `ahead`, or after that many; undefined: there is no
   * account to wait for.
   */
  async nextStart(owner: string, ahead: readonly string[] | number): Promise<number | undefined> {
    const { rules, clock } = this.#options;
    const accounts = await this.#usable();
    return nextStart(accounts, rules, { now: clock.now(), owner, ahead });
  }

  /** When the first of all accounts is usable; undefined: there is none to wait for. */
  async opensAt(): Promise<number | undefined> {
    const { rules, clock } = this.#options;
    const now = clock.now();
    const times = (await this.#usable()).flatMap((account) => freeAt(account, rules, now) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Owners whose jobs can start now. */
  async readyOwners(): Promise<Pick<ClaimBounds, 'owners' | 'until'>> {
    const { rules, clock } = this.#options;
    return readyOwners(await this.#usable(), rules, clock.now());
  }

  /**
   * Takes an account that may make an owner's skin now: the least recently used of its own, otherwise of the shared
   * ones.
   */
  async take(owner: string): Promise<AccountChoice> {
    const { db, rules, clock } = this.#options;
    return await inTransaction(db, async (tx): Promise<AccountChoice> => {
      const now = clock.now();
      await this.#freeLost(tx, now);
      const accounts = (await listAccounts(tx)).filter(isUsable);
      const chosen = nextAccount(accounts, rules, { now, owner });
      const taken = chosen && (await this.#hold(tx, chosen, now));
      if (taken) return { kind: 'taken', ...taken };
      const at = nextStart(accounts, rules, { now, owner, ahead: [] });
      if (at !== undefined) return { kind: 'later', at };
      return { kind: 'none', linked: accountsFor(accounts, owner).length };
    });
  }

  /**
   * Takes this account in any state, once it is not in use. Undefined if it is still in use after `patience`
   * milliseconds, or does not exist.
   */
  async takeThis(uuid: string, patience = 0): Promise<TakenAccount | undefined> {
    const { db, clock } = this.#options;
    for (const deadline = clock.now() + patience; ; await clock.sleep(RETURN_POLL)) {
      const taken = await inTransaction(db, async (tx) => {
        await this.#freeLost(tx, clock.now());
        const account = await findAccount(tx, uuid);
        return account && (await this.#hold(tx, account, clock.now()));
      });
      if (taken || clock.now() >= deadline) return taken;
    }
  }

  /**
   * Works with a taken account, renews its lease meanwhile, and returns it with the facts to record. `generates`:
   * whether skin data is made, which is counted.
   * @throws AccountFault if the account is the cause; anything else that `work` throws
   */
  async use<T>(
    taken: TakenAccount,
    { signal, generates = false }: { readonly signal: AbortSignal; readonly generates?: boolean },
    work: (account: HeldAccount) => Promise<T>,
  ): Promise<T> {
    const { rules, onFault } = this.#options;
    const lost = new AbortController();
    const beat = setInterval(() => void this.#renew(taken, lost), rules.lease / RENEWALS_PER_LEASE);
    const either = AbortSignal.any([signal, lost.signal]);
    const account = new HeldAccount(taken.row, { context: this.context, owner: taken.owner, signal: either });
    const giveBack = (change: Partial<AccountRow>) =>
      this.#giveBack(taken, { ...this.#lastUseOf(account, generates), ...change });
    try {
      const result = await work(account);
      await giveBack(generates ? { error_streak: 0, generated: account.row.generated + 1 } : {});
      return result;
    } catch (error) {
      const fault = either.aborted ? undefined : accountFaultOf(error);
      if (fault) onFault(taken.row, fault);
      await giveBack(fault ? this.#consequencesOf(fault, account.row) : {});
      throw fault ?? error;
    } finally {
      clearInterval(beat);
    }
  }

  async #usable(): Promise<LinkedAccount[]> {
    const { db, clock, rules } = this.#options;
    const now = clock.now();
    let accounts = await listAccounts(db);
    const lost = await this.#lost(db, accounts, now);
    if (lost.size > 0 || accounts.some((account) => correctedTimes(account, rules, now))) {
      // Another node may have used one since `now`; that does not mean that a clock was set back.
      await inTransaction(db, (tx) => this.#freeLost(tx, clock.now()));
      accounts = await listAccounts(db);
    }
    return accounts.filter(isUsable);
  }

  async #hold(tx: Db, row: AccountRow, now: number): Promise<TakenAccount | undefined> {
    const owner = workerName(this.#options.self, ++this.#leases);
    const until = now + this.#options.rules.lease;
    return (await holdAccount(tx, row, { owner, until })) ? { row, owner } : undefined;
  }

  /** A generation without a skin change also counts as a use; otherwise the next one would get the same account. */
  #lastUseOf({ row }: HeldAccount, generates: boolean): Pick<AccountRow, 'last_used_at'> {
    return { last_used_at: generates ? this.#options.clock.now() : row.last_used_at };
  }

  async #giveBack({ row: { uuid }, owner }: TakenAccount, change: Partial<AccountRow>): Promise<void> {
    const back = { lease_owner: null, lease_until: null };
    await changeHeldAccount(this.#options.db, { uuid, owner }, { ...change, ...back });
  }

  async #renew({ row, owner }: TakenAccount, lost: AbortController): Promise<void> {
    const { db, clock, rules, onError } = this.#options;
    try {
      const until = { lease_until: clock.now() + rules.lease };
      if (!(await changeHeldAccount(db, { uuid: row.uuid, owner }, until))) lost.abort();
    } catch (error) {
      onError(error);
    }
  }

  /**
   * An account whose holder is gone may have been changed until now: its delay starts again. The same applies if the
   * clock has been set back since.
   */
  async #freeLost(tx: Db, now: number): Promise<void> {
    const back = { lease_owner: null, lease_until: null, last_used_at: now };
    const accounts = await listAccounts(tx);
    const lost = await this.#lost(tx, accounts, now);
    for (const account of accounts) {
      const { uuid, lease_owner: owner } = account;
      const change = lost.has(uuid) ? back : {};
      const all = { ...correctedTimes(account, this.#options.rules, now), ...change };
      if (Object.keys(all).length === 0) continue;
      await (owner === null ? changeAccount(tx, uuid, all) : changeHeldAccount(tx, { uuid, owner }, all));
    }
  }

  /** The accounts whose leases have expired or whose holders are gone. */
  async #lost(db: Db, accounts: readonly AccountRow[], now: number): Promise<ReadonlySet<string>> {
    const { self, holders = holdersHere(self) } = this.#options;
    const held = accounts.flatMap(({ lease_owner: owner }) => owner ?? []);
    const gone = await holders.gone(db, held);
    const isLost = ({ lease_owner: owner, lease_until: until }: AccountRow) =>
      owner !== null && ((until ?? 0) < now || gone.has(owner));
    return new Set(accounts.filter(isLost).map(({ uuid }) => uuid));
  }

  #consequencesOf({ kind, message, rest }: AccountFault, row: AccountRow): Partial<AccountRow> {
    const { clock, rules } = this.#options;
    const now = clock.now();
    const { state, cools }: { state?: AccountRow['state']; cools?: boolean } = CONSEQUENCES[kind];
    return {
      ...(state && { state }),
      ...(cools && { cool_until: now + (rest ?? rules.coolDown) }),
      error_streak: row.error_streak + 1,
      failed: row.failed + 1,
      last_error_code: kind,
      last_error_message: message,
      last_error_at: now,
    };
  }
}

/** A disabled user cannot withdraw consent, so that user's accounts are not used. */
function isUsable({ disabled_at }: LinkedAccount): boolean {
  return disabled_at === null;
}

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
  suspended: 'Mojang has suspended the account. Settle this with its owner, then resume it.',
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
    rest > 0 ? `The account can make its next skin in ${rest} s.` : undefined,
  ].filter((problem) => problem !== undefined);
}

export function originalOf(profile: AccountProfile): Pick<AccountRow, 'original_url' | 'original_variant'> {
  const skin = activeSkin(profile);
  return { original_url: skin?.url ?? null, original_variant: skin?.variant ?? null };
}

/**
 * Prepares an account for a skin of ours: records its own skin, and hides its cape unless its owner agrees to show it.
 * Requests the profile only if it may have changed.
 */
export async function prepareAccount(
  account: HeldAccount,
  { now, capeMemory }: { readonly now: number; readonly capeMemory: number },
): Promise<void> {
  const { altered, shows_cape, cape_checked_at } = account.row;
  const isBareHeaded = shows_cape === 1 || now - cape_checked_at < capeMemory;
  if (altered === 1 && isBareHeaded) return;
  const profile = await account.call((token, signal) => fetchAccount(account.http, token, signal));
  const wearsCape = profile.capes.some(({ isActive }) => isActive);
  if (wearsCape && shows_cape === 0) {
    await account.call((token, signal) => hideCape(account.http, token, signal));
  }
  await account.note({ cape_checked_at: now, ...(altered === 0 && originalOf(profile)) });
}

/** Lets the account wear a skin as its own, which nothing but `restoreSkin` takes off. @throws AccountFault, GameError */
export async function wearAsOwn(
  account: HeldAccount,
  skin: { readonly png: Uint8Array; readonly variant: 'classic' | 'slim' },
): Promise<void> {
  const { http } = account;
  if (account.row.altered === 0) {
    const profile = await account.call((token, signal) => fetchAccount(http, token, signal));
    await account.note(originalOf(profile));
  }
  await account.change((token, signal) => uploadSkin(http, token, { ...skin, signal }));
  await account.note({ altered: 0 });
}

/**
 * Sets the skin that the account wore before ours. False if Mojang no longer has it.
 * @throws AccountFault, GameError
 */
export async function restoreSkin(account: HeldAccount): Promise<boolean> {
  const { original_url: url, original_variant: variant } = account.row;
  let isThere = true;
  try {
    await account.change(async (token, signal) => {
      if (url === null) await resetSkin(account.http, token, signal);
      else await setSkinFromUrl(account.http, token, { url, variant: variant ?? 'classic', signal });
    });
  } catch (error) {
    if (!(error instanceof GameError && error.kind === 'bad_image')) throw error;
    // The game no longer has that skin: a retry is pointless.
    await account.note({ last_error_code: 'original_gone', last_error_message: error.message });
    isThere = false;
  }
  await account.note({ altered: 0 });
  return isThere;
}

export interface RestorerOptions {
  readonly pool: AccountPool;
  readonly clock: Clock;
  /** Ensures that only one of several machines checks. */
  readonly once: (every: number, look: () => Promise<void>) => Promise<void>;
  /** Whether no other machine continues to use the accounts. */
  readonly isAlone: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Maximum milliseconds between looks for idle accounts. */
const LOOK = 30_000;

/** Gives accounts their own skins back once they are idle, if their owners want that. */
export class Restorer {
  readonly #options: RestorerOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: RestorerOptions) {
    this.#options = options;
  }

  start(): void {
    const { pool, once, onError } = this.#options;
    const { idle } = pool.context.rules;
    const every = Math.min(LOOK, idle);
    const restore = async () => await this.restoreIdle(idle, this.#stop.signal);
    const look = () => {
      this.#looking = this.#looking.then(() => once(every, restore)).catch(onError);
    };
    this.#timer = setInterval(look, every);
    this.#timer.unref();
  }

  /**
   * Stops checking. A last run restores outstanding skins, if possible within `limit` milliseconds, and leaves the
   * rest for the next start.
   */
  async stop(limit: number): Promise<void> {
    clearInterval(this.#timer);
    const late = setTimeout(() => this.#stop.abort(), limit);
    try {
      await this.#looking;
      if (await this.#options.isAlone()) await this.restoreIdle(0, this.#stop.signal);
    } finally {
      clearTimeout(late);
    }
  }

  /** Restores every account that has been idle for `idle` milliseconds. */
  async restoreIdle(idle: number, signal: AbortSignal): Promise<void> {
    const { pool, clock } = this.#options;
    const isDue = (account: AccountRow) => isRestorable(account, { now: clock.now(), idle });
    const due = (await listAccounts(pool.context.db)).filter(isDue);
    await Promise.all(due.map(({ uuid }) => this.#restoreOne(uuid, isDue, signal)));
  }

  async #restoreOne(
    uuid: string,
    isDue: (account: AccountRow) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { pool, onError } = this.#options;
    const taken = await pool.takeThis(uuid);
    if (!taken) return; // it has come into use
    try {
      await pool.use(taken, { signal }, async (account) => {
        if (isDue(account.row)) await restoreSkin(account);
      });
    } catch (error) {
      // An account's own fault has already been reported, and the restorer tries unreachable services again later.
      if (!signal.aborted && !(error instanceof AccountFault)) onError(error);
    }
  }
}

function isRestorable(
  { restores, altered, state, cool_until, last_used_at, lease_owner }: AccountRow,
  { now, idle }: { readonly now: number; readonly idle: number },
): boolean {
  const isWanted = restores === 1 && altered === 1 && (state === 'active' || state === 'paused');
  return isWanted && lease_owner === null && cool_until <= now && now - last_used_at >= idle;
}
