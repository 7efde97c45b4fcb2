import { readSync } from 'node:fs';

/** A line of a file or a stream. */
export interface RawLine {
  /** From 1. */
  readonly number: number;
  /** Where it begins, and its length with its line break; bytes. */
  readonly offset: number;
  readonly length: number;
  /** Whether it has a line break, which only the last one may lack. */
  readonly isEnded: boolean;
  /** With the line break; undefined if there are more than the limit. */
  readonly bytes: Buffer | undefined;
}

const NEWLINE = 0x0a;
const CHUNK = 256 * 1024;

/** The lines of an open file. @param longest bytes of a line, with its line break */
export function* fileLines(fd: number, longest: number): Generator<RawLine, void, void> {
  const splitter = new LineSplitter(longest);
  let at = 0;
  for (let read = -1; read !== 0; at += read) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK); // a new one each time: lines may be kept
    read = readSync(fd, chunk, 0, CHUNK, at);
    yield* splitter.push(chunk.subarray(0, read));
  }
  yield* splitter.end();
}

/** The lines of a stream, each as soon as it has arrived. @param longest bytes of a line, with its line break */
export async function* streamLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<RawLine, void, void> {
  const splitter = new LineSplitter(longest);
  for await (const { buffer, byteOffset, byteLength } of chunks)
    for (const line of splitter.push(Buffer.from(buffer, byteOffset, byteLength))) yield line;
  for (const line of splitter.end()) yield line;
}

/** Finds the lines in chunks of bytes; keeps one unfinished line at most, up to the limit. */
class LineSplitter {
  readonly #longest: number;
  #chunks: Buffer[] = [];
  #length = 0;
  #offset = 0;
  #number = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  *push(chunk: Buffer): Generator<RawLine, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end + 1));
      start = end + 1;
      yield this.#take(true);
    }
    this.#begin(chunk.subarray(start));
  }

  *end(): Generator<RawLine, void, void> {
    if (this.#length > 0) yield this.#take(false);
  }

  /** Keeps a copy of the beginning of a line, if there is room for it: the chunk may be used again. */
  #begin(chunk: Buffer): void {
    const isKept = this.#length + chunk.length <= this.#longest;
    this.#add(isKept ? Buffer.from(chunk) : chunk);
  }

  #add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length <= this.#longest) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  #take(isEnded: boolean): RawLine {
    const length = this.#length;
    const offset = this.#offset;
    const bytes = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#length = 0;
    this.#offset += length;
    return {
      number: ++this.#number,
      offset,
      length,
      isEnded,
      bytes: length > this.#longest ? undefined : bytes,
    };
  }
}

/**
 * `map` of each item, in the items' order. Up to `atOnce` promises are in flight. Reads an item once the one
 * before it is taken or pending; a finished result never waits for the next item.
 */
export async function* mapAhead<T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  map: (item: T) => R | Promise<R>,
): AsyncGenerator<R, void, void> {
  const source = items[Symbol.asyncIterator]();
  const ahead: Promise<R>[] = [];
  let next: Promise<IteratorResult<T>> | undefined;
  let isOver = false;
  try {
    while (!isOver || ahead.length > 0) {
      // With nothing else to wait for, it is awaited at once and need not be marked as handled.
      if (!isOver && ahead.length < atOnce) next ??= ahead.length > 0 ? quiet(source.next()) : source.next();
      const [first] = ahead;
      if (first && (!next || (await isFirst(first, next)))) {
        ahead.shift();
        yield await first;
        continue;
      }
      const item = await next!;
      next = undefined;
      isOver = item.done === true;
      if (item.done) continue;
      const mapped = map(item.value);
      if (mapped instanceof Promise) ahead.push(quiet(mapped));
      else if (ahead.length > 0) ahead.push(Promise.resolve(mapped));
      else yield mapped;
    }
  } finally {
    // A slow source settles this only once its item arrives.
    const closed = source.return?.();
    if (!next) await closed;
    else if (closed) quiet(closed);
  }
}

function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {}); // the consumer sees the failure when it awaits; until then it counts as handled
  return promise;
}

async function isFirst(one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  return await Promise.race([one.then(() => true), other.then(() => false)]);
}
