import { ByteCache } from '../../base/byte-cache.ts';
import { partsOf } from './adapter-parts.ts';
import type { Db } from './db.ts';

interface Kept<Value> {
  readonly value: Value;
  readonly version: string;
}

/**
 * Values that follow from the content of the store, each kept until anything in the store changes. Where changes cannot
 * be noticed at once, as in PostgreSQL, nothing is kept.
 */
export class KeptUntilChange<Value> {
  readonly #db: Db;
  readonly #values: ByteCache<Kept<Value>>;

  /** `sizeOf`: the bytes of a value. */
  constructor(db: Db, { maxBytes, sizeOf }: { maxBytes: number; sizeOf: (value: Value) => number }) {
    this.#db = db;
    this.#values = new ByteCache<Kept<Value>>(maxBytes, ({ value }) => sizeOf(value));
  }

  /** Undefined if there is none, or the store has changed since it was made. */
  find(key: string): Value | undefined {
    const kept = this.#values.get(key);
    return kept !== undefined && kept.version === this.#version ? kept.value : undefined;
  }

  /** Makes a value and keeps it. A change while it is made counts as one after it. */
  async make(key: string, make: () => Promise<Value>): Promise<Value> {
    const version = this.#version;
    const value = await make();
    if (version !== undefined) this.#values.set(key, { value, version });
    return value;
  }

  get #version(): string | undefined {
    return partsOf(this.#db).contentVersion?.();
  }
}
