/** Keeps values up to a total number of bytes; the least recently used go first. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #values = new Map<string, Value>();
  #bytes = 0;

  /** `sizeOf`: the bytes of a value, always the same for one value; what an entry itself takes is added. */
  constructor(maxBytes: number, sizeOf: (value: Value) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  /** At most the maximum. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value); // the last one in the order of use
    return value;
  }

  /** A value larger than the whole cache is not kept. */
  set(key: string, value: Value): void {
    this.#remove(key);
    this.#values.set(key, value);
    this.#bytes += this.#entrySize(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#bytes -= this.#entrySize(key, value);
  }

  #entrySize(key: string, value: Value): number {
    return ENTRY_BYTES + 2 * key.length + this.#sizeOf(value);
  }
}

/** Approximate size of the map entry and its objects. */
const ENTRY_BYTES = 200;

/** Reads something on first use, and again once it is older than `age` milliseconds. A failure is not kept. */
export function remembered<T>(
  read: () => Promise<T>,
  age = Number.POSITIVE_INFINITY,
  now = () => performance.now(),
): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  return async () => {
    const at = now();
    if (last === undefined || at - last.at >= age) last = { at, value: read() };
    const { value } = last;
    return await value.catch((error: unknown) => {
      if (last?.value === value) last = undefined;
      throw error;
    });
  };
}
