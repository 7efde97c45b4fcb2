import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import {
  type AccountProfile,
  activeSkin,
  fetchAccount,
  hideCape,
  resetSkin,
  setSkinFromUrl,
} from '../../game/skins.ts';
import { listAccounts } from '../store/accounts.ts';
import type { AccountRow } from '../store/schema/tables.ts';
import type { AccountPool } from './account-pool.ts';
import { AccountFault, type HeldAccount } from './held-account.ts';

/** The record of the account's own skin. */
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

/** Sets the skin that the account wore before the first of ours. @throws AccountFault, GameError */
export async function restoreSkin(account: HeldAccount): Promise<void> {
  const { original_url: url, original_variant: variant } = account.row;
  try {
    await account.change(async (token, signal) => {
      if (url === null) await resetSkin(account.http, token, signal);
      else await setSkinFromUrl(account.http, token, { url, variant: variant ?? 'classic', signal });
    });
  } catch (error) {
    if (!(error instanceof GameError && error.kind === 'bad_image')) throw error;
    // The game no longer has that skin: a retry is pointless.
    await account.note({ last_error_code: 'original_gone', last_error_message: error.message });
  }
  await account.note({ altered: 0 });
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
