import type { Clock } from '../../clock.ts';
import { writeMeta } from '../store/meta.ts';
import type { Db } from '../store/store.ts';

/** Why a service takes no work now. */
export type Unreadiness = 'stopping' | 'store_not_writable' | 'workers_in_trouble' | 'generator_not_ready';

export interface HealthOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  readonly trouble: () => unknown;
  /** Whether whoever makes the skin data can be used, as far as is known. */
  readonly isReady: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds for which a try to write stands: whoever asks often must not make the service write often. */
const TRY_AGE = 1_000;

/** Whether this process can do its work. */
export class Health {
  readonly #options: HealthOptions;
  #tried: { readonly at: number; readonly isWritable: Promise<boolean> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** What keeps the service from its work; empty when it is ready. */
  async unreadiness(): Promise<Unreadiness[]> {
    const { isStopping, trouble, isReady } = this.#options;
    const isWritable = await this.#isWritable();
    const canGenerate = !isWritable || (await isReady()); // what it knows is in the store
    return [
      ...(isStopping() ? (['stopping'] as const) : []),
      ...(isWritable ? [] : (['store_not_writable'] as const)),
      ...(trouble() ? (['workers_in_trouble'] as const) : []),
      ...(canGenerate ? [] : (['generator_not_ready'] as const)),
    ];
  }

  async #isWritable(): Promise<boolean> {
    const at = this.#options.clock.monotonic();
    if (this.#tried === undefined || at - this.#tried.at >= TRY_AGE) {
      this.#tried = { at, isWritable: this.#tryToWrite() };
    }
    return await this.#tried.isWritable;
  }

  /** Nothing but a write tells: a disk may be full, a folder may have become read-only. */
  async #tryToWrite(): Promise<boolean> {
    const { db, clock, onError } = this.#options;
    try {
      await writeMeta(db, 'last-look', String(clock.now()));
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }
}
