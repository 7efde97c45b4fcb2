import type { Clock } from '../../clock.ts';
import { listAccounts } from '../store/accounts.ts';
import type { AccountRow } from '../store/tables.ts';
import type { AccountDesk } from './desk.ts';
import { AccountFault } from './faults.ts';
import { restoreSkin } from './wardrobe.ts';

export interface RestorerOptions {
  readonly desk: AccountDesk;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds between two looks for idle accounts, at the most. */
const LOOK = 30_000;

/** Gives accounts their own skins back: those whose owners want it, once nobody needs them. */
export class Restorer {
  readonly #options: RestorerOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: RestorerOptions) {
    this.#options = options;
  }

  start(): void {
    const { desk, onError } = this.#options;
    const { idle } = desk.tools.rules;
    const look = () => {
      this.#looking = this.#looking.then(() => this.restoreIdle(idle, this.#stop.signal)).catch(onError);
    };
    this.#timer = setInterval(look, Math.min(LOOK, idle));
    this.#timer.unref();
  }

  /** No more looks; what is to be restored is, if it can be within `limit` milliseconds. The next start has the rest. */
  async stop(limit: number): Promise<void> {
    clearInterval(this.#timer);
    const late = setTimeout(() => this.#stop.abort(), limit);
    try {
      await this.#looking;
      await this.restoreIdle(0, this.#stop.signal);
    } finally {
      clearTimeout(late);
    }
  }

  /** Restores every account that nobody has used for `idle` milliseconds. */
  async restoreIdle(idle: number, signal: AbortSignal): Promise<void> {
    const { desk, clock } = this.#options;
    const isDue = (account: AccountRow) => isRestorable(account, { now: clock.now(), idle });
    const due = (await listAccounts(desk.tools.db)).filter(isDue);
    await Promise.all(due.map(({ uuid }) => this.#restoreOne(uuid, isDue, signal)));
  }

  async #restoreOne(
    uuid: string,
    isDue: (account: AccountRow) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { desk, onError } = this.#options;
    const taken = await desk.takeThis(uuid);
    if (!taken) return; // somebody uses it after all
    try {
      await desk.use(taken, { signal }, async (account) => {
        if (isDue(account.row)) await restoreSkin(account);
      });
    } catch (error) {
      // An account's own fault has been told, and services that are away are asked again later.
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
