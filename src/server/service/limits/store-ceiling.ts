import { Refusal } from '../refusal.ts';

/** Bytes: enough for weeks of a busy public service. */
export const MAX_STORE_BYTES = 10 * 1024 ** 3;

export interface StoreCeilingOptions {
  /** Bytes in use now. */
  readonly usedBytes: () => number;
  readonly maxBytes: number;
}

/** The size limit of the store. At the limit the service accepts nothing new, but still serves what it has. */
export class StoreCeiling {
  readonly #options: StoreCeilingOptions;

  constructor(options: StoreCeilingOptions) {
    this.#options = options;
  }

  get isReached(): boolean {
    const { usedBytes, maxBytes } = this.#options;
    return Number.isFinite(maxBytes) && usedBytes() >= maxBytes;
  }

  /** Bytes in use now, and their maximum; undefined: no limit. */
  get use(): { readonly used: number; readonly most: number | undefined } {
    const { usedBytes, maxBytes } = this.#options;
    return { used: usedBytes(), most: Number.isFinite(maxBytes) ? maxBytes : undefined };
  }

  /** Call before anything new is stored. @throws Refusal `store_full` */
  verifyRoom(): void {
    if (this.isReached) throw new Refusal('store_full');
  }
}
