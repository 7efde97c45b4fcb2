import { AWAKE, type Clock, systemClock } from '../../../base/clock.ts';
import type { Db } from '../../store/db.ts';
import { writeMeta } from '../../store/meta.ts';
import { isUnreachable, StoreGoneError } from '../../store/unreachable.ts';

/** What a service survives, and its operator should know of. Diagnoses have the same codes, and say more. */
export type HealthWarning = 'store_clock' | 'store_pool' | 'store_listener';

/** Why a service accepts no work now. */
export type Unreadiness =
  | 'stopping'
  | 'store_replaced'
  | 'store_too_new'
  | 'store_unreachable'
  | 'store_not_writable'
  | 'store_full'
  | 'signing_key_changed'
  | 'workers_in_trouble'
  | 'generator_not_ready';

export interface HealthOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** Whether the store's files were removed or replaced. */
  readonly isReplaced: () => boolean;
  /** Whether a newer program has changed the store and left no room for this one. */
  readonly isTooNew: () => boolean;
  /** Whether the signing key is gone or differs from the one that signed the store's skins. */
  readonly isKeyChanged: () => Promise<boolean>;
  /** Whether the store has reached its size limit. */
  readonly isFull: () => boolean;
  readonly trouble: () => unknown;
  readonly warnings: () => readonly HealthWarning[];
  /** Whether the generator is usable, as far as is known. */
  readonly isReady: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  /** Resolves when whoever asks has waited for long enough; default: after `LIMIT`. Rejects when aborted. */
  readonly untilLate?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Milliseconds for which the result of a trial write is reused, so that frequent checks do not cause frequent writes.
 */
const TRY_AGE = 1_000;

/**
 * Milliseconds after which a store that does not answer counts as unreachable: PostgreSQL may take connections and be
 * silent. The service's clock may be a hasty one, the patience of those who ask is not.
 */
const LIMIT = 5_000;

type StoreFault = Extract<Unreadiness, 'store_replaced' | 'store_unreachable' | 'store_not_writable'>;

/** A trial write, since a time of the monotonic clock. */
class Trial {
  readonly at: number;
  readonly fault: Promise<StoreFault | undefined>;
  isOver = false;

  constructor(at: number, fault: Promise<StoreFault | undefined>) {
    this.at = at;
    this.fault = fault.finally(() => {
      this.isOver = true;
    });
  }
}

async function defaultLimit(signal: AbortSignal): Promise<void> {
  await systemClock.sleep(LIMIT, signal);
}

/** Whether this process can do its work. */
export class Health {
  readonly #options: HealthOptions;
  #trial: Trial | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** The reasons why the service cannot work; empty when it is ready. */
  async unreadiness(): Promise<Unreadiness[]> {
    const { isStopping, untilLate = defaultLimit } = this.#options;
    const timer = new AbortController();
    const late = untilLate(timer.signal).then(
      () => undefined,
      () => undefined, // it has been stopped, and nobody waits for it
    );
    const found = await Promise.race([this.#look(), late]).finally(() => timer.abort(AWAKE));
    return found ?? [...(isStopping() ? (['stopping'] as const) : []), 'store_unreachable'];
  }

  /**
   * Whether the process is alive and only has to be left alone: one that cannot reach its store would not reach it after
   * a restart either.
   */
  get isAlive(): boolean {
    const trouble = this.#options.trouble();
    return !trouble || isUnreachable(trouble);
  }

  get warnings(): readonly HealthWarning[] {
    return this.#options.warnings();
  }

  async #look(): Promise<Unreadiness[]> {
    const found = this.#lost() ?? (await this.#reasons());
    const stopping = this.#options.isStopping() ? (['stopping'] as const) : [];
    return [...stopping, ...(this.#lost() ?? found)]; // it may have been lost during the look
  }

  /** With a store that is no longer this service's, nothing else matters. */
  #lost(): Unreadiness[] | undefined {
    if (this.#options.isReplaced()) return ['store_replaced'];
    return this.#options.isTooNew() ? ['store_too_new'] : undefined;
  }

  async #reasons(): Promise<Unreadiness[]> {
    const { isFull, isKeyChanged, trouble, isReady } = this.#options;
    const fault = await this.#storeFault();
    const isWritable = fault === undefined;
    const canGenerate = !isWritable || (await isReady()); // this check reads from the store
    return [
      ...(fault ? [fault] : []),
      ...(isFull() ? (['store_full'] as const) : []),
      ...(isWritable && (await isKeyChanged()) ? (['signing_key_changed'] as const) : []),
      ...(trouble() ? (['workers_in_trouble'] as const) : []),
      ...(canGenerate ? [] : (['generator_not_ready'] as const)),
    ];
  }

  async #storeFault(): Promise<StoreFault | undefined> {
    const at = this.#options.clock.monotonic();
    const trial = this.#trial;
    // While one hangs, others would take all connections.
    if (trial && at - trial.at < (trial.isOver ? TRY_AGE : LIMIT)) return await trial.fault;
    this.#trial = new Trial(at, this.#tryToWrite());
    return await this.#trial.fault;
  }

  /** Only a write can tell: the disk may be full, or a folder may have become read-only. */
  async #tryToWrite(): Promise<StoreFault | undefined> {
    const { db, clock, onError } = this.#options;
    try {
      await writeMeta(db, 'last-look', String(clock.now()));
      return undefined;
    } catch (error) {
      onError(error);
      if (error instanceof StoreGoneError) return 'store_replaced';
      return isUnreachable(error) ? 'store_unreachable' : 'store_not_writable';
    }
  }
}
