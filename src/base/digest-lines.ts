import { byteHash } from './byte-hash.ts';
import type { FileStamp } from './file-stamp.ts';

const HEADER = Buffer.from('skinsmith file memory 2\n');
/** After the path, in columns: tab, stamp, tab, day, tab, digest, line break. */
const STAMP_DIGITS = 10;
const DAY_DIGITS = 4;
const DIGEST_LENGTH = 64;
const STAMP_AT = 1;
const DAY_AT = STAMP_AT + STAMP_DIGITS + 1;
const DIGEST_AT = DAY_AT + DAY_DIGITS + 1;
const TAIL_LENGTH = DIGEST_AT + DIGEST_LENGTH + 1;
/** Maximum UTF-16 units of a path as JSON; longer ones are not stored. */
const LONGEST_PATH = 4096;
/** Expected bytes of a line. */
const USUAL_LINE = 150;
const SLACK = 64 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;

const DAY = 24 * 60 * 60 * 1000;

const TAB = 0x09;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;

/**
 * The text of the cache's file, one line per path, and a table of line offsets: some 90 bytes plus the path per
 * entry, parsed only on demand. An entry is identified by the offset at which its path ends.
 */
export class DigestLines {
  #count = 0;
  #text: Buffer;
  #end: number;
  /**
   * Open addressing: offsets of lines by the hash of their path; 0: free. Made for the first path that is not on the
   * next line: a run over unchanged files meets none.
   */
  #slots: Int32Array | undefined;
  readonly #key = Buffer.allocUnsafe(3 * LONGEST_PATH);
  readonly #stamp = new Uint8Array(STAMP_DIGITS);
  /** Where the line after the last one found begins: most batches ask in the order of the file. */
  #next = HEADER.length;

  constructor(text: Buffer) {
    const isOurs = text.subarray(0, HEADER.length).equals(HEADER);
    this.#text = isOurs ? text : Buffer.from(HEADER);
    this.#end = this.#text.lastIndexOf(NEWLINE) + 1; // an unfinished line follows
  }

  /** Number of lines. */
  get count(): number {
    this.#table();
    return this.#count;
  }

  find(path: string): number | undefined {
    const length = this.#encode(path);
    if (length === 0) return undefined;
    const start = this.#isNext(length) ? this.#next : this.#lookUp(length);
    if (start === 0) return undefined;
    this.#next = start + length + TAIL_LENGTH;
    return start + length;
  }

  /** A new entry, to be filled at once; undefined if its path is too long. */
  add(path: string): number | undefined {
    const length = this.#encode(path);
    if (length === 0) return undefined;
    this.#table(); // may move the end
    const start = this.#end;
    this.#reserve(length + TAIL_LENGTH);
    this.#key.copy(this.#text, start, 0, length);
    this.#text.fill(SPACE, start + length, start + length + TAIL_LENGTH - 1); // no old line breaks
    this.#text[start + length + TAIL_LENGTH - 1] = NEWLINE;
    this.#end += length + TAIL_LENGTH;
    this.#insert(this.#table(), start, start + length);
    return start + length;
  }

  set(entry: number, stamp: FileStamp, day: string, digest: string): void {
    this.#text.write(`\t${' '.repeat(STAMP_DIGITS)}\t${day}\t${digest}`, entry, 'latin1');
    packStamp(stamp, this.#stamp);
    this.#text.set(this.#stamp, entry + STAMP_AT);
  }

  setDay(entry: number, day: string): void {
    this.#text.write(day, entry + DAY_AT, 'latin1');
  }

  hasStamp(entry: number, stamp: FileStamp): boolean {
    packStamp(stamp, this.#stamp);
    return this.#isAt(entry + STAMP_AT, this.#stamp, 0, STAMP_DIGITS);
  }

  hasDay(entry: number, day: string): boolean {
    return this.#hasText(entry + DAY_AT, day);
  }

  dayOf(entry: number): string {
    return this.#column(entry + DAY_AT, DAY_DIGITS);
  }

  /** Undefined if the entry is damaged. */
  digestOf(entry: number): string | undefined {
    const digest = this.#column(entry + DIGEST_AT, DIGEST_LENGTH);
    return DIGEST.test(digest) ? digest : undefined;
  }

  /** Removes lines of earlier days; all entries move. */
  dropBefore(day: string): void {
    this.#sweep((entry) => this.dayOf(entry) >= day);
  }

  /** All lines; valid until the next change. */
  text(): Buffer {
    return this.#text.subarray(0, this.#end);
  }

  #hasText(at: number, text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#text[at + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  #column(from: number, length: number): string {
    return this.#text.toString('latin1', from, from + length);
  }

  /** Writes the path into `#key` in its line form, without tabs and line breaks. 0: it is too long. */
  #encode(path: string): number {
    const json = JSON.stringify(path);
    return json.length > LONGEST_PATH ? 0 : this.#key.write(json);
  }

  /** Whether the path in `#key` is that of the line after the last one found. */
  #isNext(length: number): boolean {
    const end = this.#next + length;
    return (
      end + TAIL_LENGTH <= this.#end &&
      this.#isAt(this.#next, this.#key, 0, length) &&
      this.#isSound(this.#next, end) &&
      this.#text[end + TAIL_LENGTH - 1] === NEWLINE
    );
  }

  /** Where the line of the path in `#key` begins; 0 if there is no such line. */
  #lookUp(length: number): number {
    const slots = this.#table();
    return slots[this.#slotOf(slots, this.#key, 0, length)]!;
  }

  #table(): Int32Array {
    if (!this.#slots) this.#sweep(() => true);
    return this.#slots!;
  }

  /** Compacts the valid, kept lines and enters them into a new table; all entries move. */
  #sweep(isKept: (entry: number) => boolean): void {
    const end = this.#end;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(end / USUAL_LINE + 64) + 1));
    this.#end = HEADER.length;
    this.#next = HEADER.length;
    this.#count = 0;
    this.#eachLine(end, (start, next) => {
      const entry = next - TAIL_LENGTH;
      if (!this.#isSound(start, entry) || !isKept(entry)) return;
      const to = this.#end;
      if (to !== start) this.#text.copyWithin(to, start, next);
      this.#end = to + next - start;
      this.#insert(this.#slots!, to, to + entry - start);
    });
  }

  #eachLine(limit: number, each: (start: number, next: number) => void): void {
    for (let start = HEADER.length; start < limit; ) {
      const next = this.#text.indexOf(NEWLINE, start) + 1;
      each(start, next);
      start = next;
    }
  }

  #isSound(start: number, entry: number): boolean {
    const text = this.#text;
    const isPath = entry > start + 1 && text[start] === QUOTE && text[entry - 1] === QUOTE;
    return (
      isPath && text[entry] === TAB && text[entry + DAY_AT - 1] === TAB && text[entry + DIGEST_AT - 1] === TAB
    );
  }

  #insert(slots: Int32Array, start: number, entry: number): void {
    slots[this.#slotOf(slots, this.#text, start, entry)] = start;
    if (++this.#count * 4 > slots.length * 3) this.#growTable(slots.length * 2);
  }

  #growTable(length: number): void {
    const slots = new Int32Array(length);
    this.#eachLine(this.#end, (start, next) => {
      slots[this.#slotOf(slots, this.#text, start, next - TAIL_LENGTH)] = start;
    });
    this.#slots = slots;
  }

  /** The slot of the path in `bytes` from `from` to `to`, or the free slot for it. */
  #slotOf(slots: Int32Array, bytes: Buffer, from: number, to: number): number {
    const mask = slots.length - 1;
    let slot = byteHash(bytes, from, to) & mask;
    while (slots[slot] !== 0 && !this.#isAt(slots[slot]!, bytes, from, to)) slot = (slot + 1) & mask;
    return slot;
  }

  #isAt(start: number, bytes: Uint8Array, from: number, to: number): boolean {
    for (let i = from, at = start; i < to; i++, at++) if (this.#text[at] !== bytes[i]) return false;
    return true;
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#text.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.ceil((this.#end + length) * 1.5) + SLACK);
    this.#text.copy(larger, 0, 0, this.#end);
    this.#text = larger;
  }
}

/** A day as stored in the lines; sorts as text. @param time milliseconds since the epoch */
export function dayText(time: number): string {
  return Math.floor(time / DAY)
    .toString(36)
    .padStart(DAY_DIGITS, '0');
}

/** Distinguishes stamps: a 60-bit sum over all fields, six bits per character, from `0` on. */
function packStamp({ size, mtimeMs, ctimeMs, ino }: FileStamp, target: Uint8Array): void {
  const numbers = [size, Math.round(mtimeMs * 1000), Math.round(ctimeMs * 1000), ino];
  for (let half = 0; half < 2; half++) {
    const sum = murmur3(numbers, half);
    for (let i = 0; i < 5; i++) target[half * 5 + i] = 0x30 + ((sum >>> (6 * i)) & 0x3f);
  }
}

/** MurmurHash3, 32 bits, over each number's lower and upper half. */
function murmur3(numbers: readonly number[], seed: number): number {
  let hash = seed;
  for (const number of numbers) hash = mix(mix(hash, number % 2 ** 32), number / 2 ** 32);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mix(hash: number, word: number): number {
  let bits = Math.imul(word, 0xcc9e2d51);
  bits = Math.imul((bits << 15) | (bits >>> 17), 0x1b873593);
  const mixed = hash ^ bits;
  return Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64;
}
