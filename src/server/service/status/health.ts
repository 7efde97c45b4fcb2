import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../store/db.ts';
import { writeMeta } from '../../store/meta.ts';
import { isUnreachable } from '../../store/unreachable.ts';

/** Why a service accepts no work now. */
export type Unreadiness =
  | 'stopping'
  | 'store_replaced'
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
  /** Whether the signing key is gone or differs from the one that signed the store's skins. */
  readonly isKeyChanged: () => Promise<boolean>;
  /** Whether the store has reached its size limit. */
  readonly isFull: () => boolean;
  readonly trouble: () => unknown;
  /** Whether the generator is usable, as far as is known. */
  readonly isReady: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/**
 * Milliseconds for which the result of a trial write is reused, so that frequent checks do not cause frequent writes.
 */
const TRY_AGE = 1_000;

type StoreFault = Extract<Unreadiness, 'store_unreachable' | 'store_not_writable'>;

/** Whether this process can do its work. */
export class Health {
  readonly #options: HealthOptions;
  #tried: { readonly at: number; readonly fault: Promise<StoreFault | undefined> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** The reasons why the service cannot work; empty when it is ready. */
  async unreadiness(): Promise<Unreadiness[]> {
    const { isStopping, isReplaced, isFull, isKeyChanged, trouble, isReady } = this.#options;
    if (isReplaced()) return [...(isStopping() ? (['stopping'] as const) : []), 'store_replaced'];
    const fault = await this.#storeFault();
    const isWritable = fault === undefined;
    const canGenerate = !isWritable || (await isReady()); // this check reads from the store
    return [
      ...(isStopping() ? (['stopping'] as const) : []),
      ...(fault ? [fault] : []),
      ...(isFull() ? (['store_full'] as const) : []),
      ...(isWritable && (await isKeyChanged()) ? (['signing_key_changed'] as const) : []),
      ...(trouble() ? (['workers_in_trouble'] as const) : []),
      ...(canGenerate ? [] : (['generator_not_ready'] as const)),
    ];
  }

  async #storeFault(): Promise<StoreFault | undefined> {
    const at = this.#options.clock.monotonic();
    if (this.#tried === undefined || at - this.#tried.at >= TRY_AGE) {
      this.#tried = { at, fault: this.#tryToWrite() };
    }
    return await this.#tried.fault;
  }

  /** Only a write can tell: the disk may be full, or a folder may have become read-only. */
  async #tryToWrite(): Promise<StoreFault | undefined> {
    const { db, clock, onError } = this.#options;
    try {
      await writeMeta(db, 'last-look', String(clock.now()));
      return undefined;
    } catch (error) {
      onError(error);
      return isUnreachable(error) ? 'store_unreachable' : 'store_not_writable';
    }
  }
}
