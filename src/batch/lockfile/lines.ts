import { readSync } from 'node:fs';
import { LONGEST_LINE } from './entry-line.ts';
import { isAt } from './head.ts';
import { LockfileError } from './lockfile-error.ts';

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Windows' editors write it at the start of a file; it is part of no line. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** A line and its position. One object is reused for all lines: it is valid until the next one. */
export interface Line {
  /** The line is `bytes` from `start` up to `end`, without its line break. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly number: number;
  /** Where it begins in the file, and its length in bytes including the line break. */
  readonly offset: number;
  readonly length: number;
  readonly lineEnd: '\n' | '\r\n' | '';
}

/** Calls back for each line of a lockfile. @throws LockfileError when a line is too long to be an entry */
export function forEachLine(fd: number, path: string, each: (line: Line) => void): void {
  new LineReader(fd, path).run(each);
}

class LineReader implements Line {
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  number = 0;
  offset = 0;
  length = 0;
  lineEnd: Line['lineEnd'] = '';
  readonly #fd: number;
  readonly #path: string;
  /** Bytes in the buffer. */
  #filled = 0;
  /** Bytes of the file before the buffer. */
  #passed = 0;

  constructor(fd: number, path: string) {
    this.bytes = Buffer.allocUnsafeSlow(CHUNK + LONGEST_LINE + 2);
    this.#fd = fd;
    this.#path = path;
  }

  run(each: (line: Line) => void): void {
    while (this.#fill() > 0) {
      let from = 0;
      for (let at = this.#newline(from); at !== -1; at = this.#newline(from)) {
        this.#set(from, at, at + 1);
        each(this);
        from = at + 1;
      }
      this.#keepFrom(from);
    }
    if (this.#filled === 0) return;
    this.#set(0, this.#filled, this.#filled);
    each(this);
  }

  #fill(): number {
    const read = readSync(this.#fd, this.bytes, this.#filled, CHUNK, this.#passed + this.#filled);
    this.#filled += read;
    return read;
  }

  #newline(from: number): number {
    const at = this.bytes.indexOf(NEWLINE, from);
    return at < this.#filled ? at : -1; // the rest is stale
  }

  #set(start: number, end: number, next: number): void {
    const mark =
      this.#passed + start === 0 && isAt(this.bytes, 0, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    const returns = end < next && end > start && this.bytes[end - 1] === CARRIAGE_RETURN ? 1 : 0;
    this.start = start + mark;
    this.end = end - returns;
    this.number++;
    this.offset = this.#passed + this.start;
    this.length = next - this.start;
    this.lineEnd = end === next ? '' : returns ? '\r\n' : '\n';
    this.#refuseLong(this.end - start, this.number);
  }

  /** The start of a line whose end has not been read yet. */
  #keepFrom(from: number): void {
    this.#refuseLong(this.#filled - from - 1, this.number + 1);
    this.bytes.copyWithin(0, from, this.#filled);
    this.#passed += from;
    this.#filled -= from;
  }

  #refuseLong(length: number, line: number): void {
    if (length <= LONGEST_LINE) return;
    const reason = `The line is longer than ${LONGEST_LINE} bytes.`;
    throw new LockfileError('lockfile_too_large', { path: this.#path, line, reason });
  }
}
