import { isGone, type ProcessName, workerName } from '../queue/lease-owner.ts';
import { changeHeldAccount, findAccount, holdAccount, listAccounts } from '../store/accounts.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { AccountRow } from '../store/tables.ts';
import { leastRecentlyUsed, nextStart } from './availability.ts';
import { type AccountFault, accountFaultOf, CONSEQUENCES } from './faults.ts';
import { type AccountTools, HeldAccount } from './held-account.ts';

export interface AccountDeskOptions extends AccountTools {
  readonly self: ProcessName;
  /** Hears of accounts that failed. */
  readonly onFault: (account: AccountRow, fault: AccountFault) => void;
  /** Hears of a lease that could not be renewed now. */
  readonly onError: (error: unknown) => void;
}

/** An account with whoever has taken it. */
export interface Taken {
  readonly row: AccountRow;
  readonly owner: string;
}

export type Choice =
  | ({ readonly kind: 'taken' } & Taken)
  /** All are in use or resting; the first is free then, in milliseconds since the epoch. */
  | { readonly kind: 'later'; readonly at: number }
  /** There is none to wait for. `linked`: how many there are that somebody must look after. */
  | { readonly kind: 'none'; readonly linked: number };

const RENEWALS_PER_LEASE = 3;
/** Milliseconds between two looks whether an account has come back. */
const RETURN_POLL = 100;

/** Hands out the linked accounts: each to one at a time, in this process or another. */
export class AccountDesk {
  readonly tools: AccountTools;
  readonly #options: AccountDeskOptions;
  #leases = 0;

  constructor(options: AccountDeskOptions) {
    this.#options = options;
    this.tools = options;
  }

  /** When a generation can begin that comes after `ahead` others; undefined: there is no account to wait for. */
  async nextStart(ahead: number): Promise<number | undefined> {
    const { db, rules, clock } = this.#options;
    const now = clock.now();
    let accounts = await listAccounts(db);
    if (accounts.some((account) => this.#isLost(account, now))) {
      await inTransaction(db, (tx) => this.#freeLost(tx, now));
      accounts = await listAccounts(db);
    }
    return nextStart(accounts, rules, { now, ahead });
  }

  /** Takes the least recently used of the healthy accounts that may be used now. */
  async take(): Promise<Choice> {
    const { db, rules, clock } = this.#options;
    return await inTransaction(db, async (tx): Promise<Choice> => {
      const now = clock.now();
      await this.#freeLost(tx, now);
      const accounts = await listAccounts(tx);
      const chosen = leastRecentlyUsed(accounts, rules, now);
      const taken = chosen && (await this.#hold(tx, chosen, now));
      if (taken) return { kind: 'taken', ...taken };
      const at = nextStart(accounts, rules, { now, ahead: 0 });
      return at === undefined ? { kind: 'none', linked: accounts.length } : { kind: 'later', at };
    });
  }

  /**
   * Takes this account whatever its state, once it is not in use. Undefined when it is still in use after
   * `patience` milliseconds, or not there.
   */
  async takeThis(uuid: string, patience = 0): Promise<Taken | undefined> {
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
   * Works with an account that was taken, under a lease that is renewed meanwhile, and gives it back with what is
   * to be said of it. `generates`: whether skin data is made, which is counted.
   * @throws AccountFault where the account is to blame; whatever else `work` throws
   */
  async use<T>(
    taken: Taken,
    { signal, generates = false }: { readonly signal: AbortSignal; readonly generates?: boolean },
    work: (account: HeldAccount) => Promise<T>,
  ): Promise<T> {
    const { rules, onFault } = this.#options;
    const lost = new AbortController();
    const beat = setInterval(() => void this.#renew(taken, lost), rules.lease / RENEWALS_PER_LEASE);
    const either = AbortSignal.any([signal, lost.signal]);
    const account = new HeldAccount(taken.row, { tools: this.tools, owner: taken.owner, signal: either });
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

  async #hold(tx: Db, row: AccountRow, now: number): Promise<Taken | undefined> {
    const owner = workerName(this.#options.self, ++this.#leases);
    const until = now + this.#options.rules.lease;
    return (await holdAccount(tx, row.uuid, { owner, until })) ? { row, owner } : undefined;
  }

  /** Also a generation that came to no change counts as a use, or the next one would meet the same account. */
  #lastUseOf({ row }: HeldAccount, generates: boolean): Pick<AccountRow, 'last_used_at'> {
    return { last_used_at: generates ? this.#options.clock.now() : row.last_used_at };
  }

  async #giveBack({ row: { uuid }, owner }: Taken, change: Partial<AccountRow>): Promise<void> {
    const back = { lease_owner: null, lease_until: null };
    await changeHeldAccount(this.#options.db, { uuid, owner }, { ...change, ...back });
  }

  async #renew({ row, owner }: Taken, lost: AbortController): Promise<void> {
    const { db, clock, rules, onError } = this.#options;
    try {
      const until = { lease_until: clock.now() + rules.lease };
      if (!(await changeHeldAccount(db, { uuid: row.uuid, owner }, until))) lost.abort();
    } catch (error) {
      onError(error);
    }
  }

  /** An account whose holder is gone may have been changed up to now: its delay begins again. */
  async #freeLost(tx: Db, now: number): Promise<void> {
    const back = { lease_owner: null, lease_until: null, last_used_at: now };
    for (const account of await listAccounts(tx)) {
      if (!this.#isLost(account, now)) continue;
      await changeHeldAccount(tx, { uuid: account.uuid, owner: account.lease_owner ?? '' }, back);
    }
  }

  #isLost({ lease_owner: owner, lease_until: until }: AccountRow, now: number): boolean {
    return owner !== null && ((until ?? 0) < now || isGone(owner, this.#options.self));
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
