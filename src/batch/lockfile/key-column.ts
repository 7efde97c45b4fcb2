import { byteHash } from '../../base/byte-hash.ts';

const NONE = -1;
const LAST_ASCII = 0x7f;

/** Consecutive keys, and where each ends and the next one begins. */
export interface Keys {
  readonly bytes: Buffer;
  readonly ends: Uint32Array;
}

/**
 * One text per entry, stored as consecutive UTF-8, with a hash index. A hundred thousand strings in a Map take
 * three times the memory, and the garbage collector traverses them again and again.
 */
export class KeyColumn {
  #bytes: Buffer;
  /** Where each key ends and the next one begins. */
  #ends: Uint32Array;
  #size = 0;
  /** Open addressing: entries by the hash of their key. Built on first use. */
  #slots: Int32Array | undefined;

  /** @param entries expected number, @param length expected bytes of a key */
  constructor(entries: number, length: number) {
    this.#bytes = Buffer.allocUnsafeSlow(entries * length);
    this.#ends = new Uint32Array(entries);
  }

  /** A column of these keys. */
  static of({ bytes, ends }: Keys): KeyColumn {
    const column = new KeyColumn(0, 0);
    column.#bytes = bytes;
    column.#ends = ends;
    column.#size = ends.length;
    return column;
  }

  /** Its keys, for storing them. */
  keys(): Keys {
    return {
      bytes: this.#bytes.subarray(0, this.#startOf(this.#size)),
      ends: this.#ends.subarray(0, this.#size),
    };
  }

  get size(): number {
    return this.#size;
  }

  /** Appends the key in `bytes` from `start` to `end`. Not allowed after the first `find`. */
  push(bytes: Buffer, start: number, end: number): void {
    const at = this.#startOf(this.#size);
    this.#reserve(at + end - start);
    bytes.copy(this.#bytes, at, start, end);
    this.#ends[this.#size++] = at + end - start;
  }

  /** Appends a key of another column. */
  pushFrom(other: KeyColumn, entry: number): void {
    this.push(other.#bytes, other.#startOf(entry), other.#ends[entry]!);
  }

  /** Whether the entry has this key: compared byte by byte, since a string for each of thousands takes longer. */
  is(entry: number, key: string): boolean {
    if (entry >= this.#size) return false;
    const start = this.#startOf(entry);
    const length = this.#ends[entry]! - start;
    if (length !== key.length) return length > key.length && this.at(entry) === key;
    for (let i = 0; i < length; i++) {
      const unit = key.charCodeAt(i);
      if (unit > LAST_ASCII || this.#bytes[start + i] !== unit) return false; // other units have several bytes
    }
    return true;
  }

  /** Empty if there is no such entry. */
  at(entry: number): string {
    return this.#bytes.toString('utf8', this.#startOf(entry), this.#ends[entry]);
  }

  /** The first entry with this key. */
  find(key: string): number | undefined {
    const bytes = Buffer.from(key);
    this.#slots ??= this.#index();
    const entry = this.#slots[this.#slotOf(this.#slots, bytes, 0, bytes.length)]!;
    return entry === NONE ? undefined : entry;
  }

  /** Negative if the key of `a` sorts before that of `b`, by code units as JavaScript sorts; 0 if they are equal. */
  compare(a: number, b: number): number {
    const [start, other] = [this.#startOf(a), this.#startOf(b)];
    const [length, otherLength] = [this.#ends[a]! - start, this.#ends[b]! - other];
    for (let i = 0; i < length && i < otherLength; i++) {
      const one = this.#bytes[start + i]!;
      const two = this.#bytes[other + i]!;
      if (one !== two) return rank(one) - rank(two);
    }
    return length - otherLength;
  }

  #startOf(entry: number): number {
    return entry === 0 ? 0 : this.#ends[entry - 1]!;
  }

  #equals(entry: number, bytes: Buffer, from: number, to: number): boolean {
    const start = this.#startOf(entry);
    if (this.#ends[entry]! - start !== to - from) return false;
    for (let i = from, at = start; i < to; i++, at++) if (this.#bytes[at] !== bytes[i]) return false;
    return true;
  }

  #index(): Int32Array {
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(this.#size + 1) + 1)).fill(NONE);
    for (let entry = 0; entry < this.#size; entry++) {
      const slot = this.#slotOf(slots, this.#bytes, this.#startOf(entry), this.#ends[entry]!);
      if (slots[slot] === NONE) slots[slot] = entry;
    }
    return slots;
  }

  /** The slot of the key, or the free slot for it. */
  #slotOf(slots: Int32Array, bytes: Buffer, from: number, to: number): number {
    const mask = slots.length - 1;
    let slot = byteHash(bytes, from, to) & mask;
    while (slots[slot] !== NONE && !this.#equals(slots[slot]!, bytes, from, to)) slot = (slot + 1) & mask;
    return slot;
  }

  #reserve(length: number): void {
    if (this.#size === this.#ends.length) this.#ends = grown(this.#ends);
    if (length <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(length, larger(this.#bytes.length)));
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
  }
}

/**
 * UTF-8 sorts by code points. Code units sort the same except beyond U+FFFF (first byte 0xF0 and up): those
 * are surrogates there, which sort before U+E000 to U+FFFF (0xEE and 0xEF).
 */
function rank(byte: number): number {
  if (byte < 0xee) return byte;
  return byte < 0xf0 ? byte + 16 : byte;
}

/** A copy with half as much room again. */
export function grown(column: Uint32Array): Uint32Array {
  const copy = new Uint32Array(larger(column.length));
  copy.set(column);
  return copy;
}

function larger(length: number): number {
  return Math.ceil(length * 1.5) + 16;
}
