import { WORK_KEY_LENGTH } from '../model/work-key.ts';
import type { Head } from './head.ts';
import { grown, KeyColumn, type Keys } from './key-column.ts';

export type Found =
  | { readonly state: 'same' | 'moved'; readonly entry: number }
  | { readonly state: 'changed' }
  | undefined;

/** Position of an entry's line in the file, including its line break; bytes. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** The parts of a table, for storing it. */
export interface Columns {
  readonly sources: Keys;
  readonly works: Keys;
  readonly uuids: Keys;
  readonly records: Keys;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
}

/** Where the fields that a table keeps are in a buffer. */
export type FieldRanges = Pick<Head, 'sourceStart' | 'sourceEnd' | 'uuidStart' | 'recordStart' | 'recordEnd'>;

/** Expected bytes of a source, and of what is recorded about one. */
const SOURCE_LENGTH = 40;
const RECORD_LENGTH = 64;
/** Hexadecimal digits. */
const UUID_DIGITS = 32;
/** In place of a UUID that is not in the usual form. */
const NO_UUID = Buffer.alloc(UUID_DIGITS);
const NUL = '\0';

/**
 * The part of each entry kept in memory: enough to find and read it. Columns instead of objects keep a
 * hundred thousand entries at about 10 MB.
 */
export class EntryTable {
  #sources: KeyColumn;
  #works: KeyColumn;
  #uuids: KeyColumn;
  #records: KeyColumn;
  #offsets: Uint32Array;
  #lengths: Uint32Array;
  #isSorted = true;
  /** The entry after the last one found: most batches look up entries in file order. */
  #next = 0;

  /** @param entries expected number */
  constructor(entries: number) {
    this.#sources = new KeyColumn(entries, SOURCE_LENGTH);
    this.#works = new KeyColumn(entries, WORK_KEY_LENGTH);
    this.#uuids = new KeyColumn(entries, UUID_DIGITS);
    this.#records = new KeyColumn(entries, RECORD_LENGTH);
    this.#offsets = new Uint32Array(entries);
    this.#lengths = new Uint32Array(entries);
  }

  get size(): number {
    return this.#sources.size;
  }

  /** The sorted table that these columns are from. */
  static of({ sources, works, uuids, records, offsets, lengths }: Columns): EntryTable {
    const table = new EntryTable(0);
    table.#sources = KeyColumn.of(sources);
    table.#works = KeyColumn.of(works);
    table.#uuids = KeyColumn.of(uuids);
    table.#records = KeyColumn.of(records);
    table.#offsets = offsets;
    table.#lengths = lengths;
    return table;
  }

  /** Its parts. Requires a sorted table. */
  columns(): Columns {
    return {
      sources: this.#sources.keys(),
      works: this.#works.keys(),
      uuids: this.#uuids.keys(),
      records: this.#records.keys(),
      offsets: this.#offsets.subarray(0, this.size),
      lengths: this.#lengths.subarray(0, this.size),
    };
  }

  /** The next entry: `ranges` of `bytes` hold its fields, `work` is its work key. */
  add(bytes: Buffer, ranges: FieldRanges, work: Buffer, place: Place): void {
    const { sourceStart, sourceEnd, uuidStart, recordStart, recordEnd } = ranges;
    this.#sources.push(bytes, sourceStart, sourceEnd);
    this.#records.push(bytes, recordStart, recordEnd);
    this.#works.push(work, 0, work.length);
    if (uuidStart === undefined) this.#uuids.push(NO_UUID, 0, UUID_DIGITS);
    else this.#uuids.push(bytes, uuidStart, uuidStart + UUID_DIGITS);
    this.#put(place);
    this.#isSorted &&= this.size === 1 || this.#compare(this.size - 2, this.size - 1) < 0;
  }

  /** The same entries sorted by source, then by work; of equal ones, only the last. */
  sorted(): EntryTable {
    if (this.#isSorted) return this;
    const order = Uint32Array.from({ length: this.size }, (_, entry) => entry);
    order.sort((a, b) => this.#compare(a, b)); // stable, so that the last stays the last
    const table = new EntryTable(this.size);
    for (const [at, entry] of order.entries()) {
      const next = order[at + 1];
      if (next === undefined || this.#compare(entry, next) !== 0) table.#addFrom(this, entry);
    }
    return table;
  }

  /** Requires a sorted table. */
  find(source: string, work: string): Found {
    if (this.#sources.is(this.#next, source) && this.#works.is(this.#next, work)) {
      return { state: 'same', entry: this.#next++ };
    }
    const first = this.#sources.find(source);
    for (let entry = first ?? this.size; entry < this.size && this.#sources.is(entry, source); entry++) {
      if (!this.#works.is(entry, work)) continue;
      this.#next = entry + 1;
      return { state: 'same', entry };
    }
    const moved = this.#works.find(work);
    if (moved !== undefined) return { state: 'moved', entry: moved };
    return first === undefined ? undefined : { state: 'changed' };
  }

  /** The first entry of a source. Requires a sorted table. */
  firstOf(source: string): number | undefined {
    return this.#sources.is(this.#next, source) ? this.#next : this.#sources.find(source);
  }

  sourceOf(entry: number): string {
    return this.#sources.at(entry);
  }

  workOf(entry: number): string {
    return this.#works.at(entry);
  }

  /** What was recorded about the entry's source, as JSON; empty if nothing was. */
  recordOf(entry: number): string {
    return this.#records.at(entry);
  }

  /** Undefined if it is not in the usual form. */
  uuidOf(entry: number): string | undefined {
    const uuid = this.#uuids.at(entry);
    return uuid.startsWith(NUL) ? undefined : uuid;
  }

  /** @throws RangeError when there is no such entry */
  placeOf(entry: number): Place {
    const [offset, length] = [this.#offsets[entry], this.#lengths[entry]];
    if (offset !== undefined && length !== undefined && entry < this.size) return { offset, length };
    throw new RangeError(`The lockfile has no entry ${entry}.`);
  }

  /** Each source once. Requires a sorted table. */
  *sources(): Generator<string, void, void> {
    for (let entry = 0; entry < this.size; entry++) {
      if (entry === 0 || this.#sources.compare(entry - 1, entry) !== 0) yield this.#sources.at(entry);
    }
  }

  #compare(a: number, b: number): number {
    return this.#sources.compare(a, b) || this.#works.compare(a, b);
  }

  #addFrom(other: EntryTable, entry: number): void {
    this.#sources.pushFrom(other.#sources, entry);
    this.#works.pushFrom(other.#works, entry);
    this.#uuids.pushFrom(other.#uuids, entry);
    this.#records.pushFrom(other.#records, entry);
    this.#put(other.placeOf(entry));
  }

  #put({ offset, length }: Place): void {
    const entry = this.size - 1;
    if (entry === this.#offsets.length) {
      this.#offsets = grown(this.#offsets);
      this.#lengths = grown(this.#lengths);
    }
    this.#offsets[entry] = offset;
    this.#lengths[entry] = length;
  }
}
