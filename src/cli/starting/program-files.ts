import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import type { CompiledFile } from './cache-format.ts';
import type { CodeCache } from './code-cache.ts';
import { V8Flags } from './v8-flags.ts';

const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';
/** Bytes; nearly all files are smaller. */
const BUFFER_SIZE = 512 * 1024;

interface LoadedFile {
  readonly module: { exports: unknown };
  readonly script: Script;
  readonly checksum: number;
}

/** What files are given to load others. Other than Node's, it can keep one for later without running it. */
export interface OwnRequire {
  (name: string): unknown;
  keep(name: string): void;
}

type Wrapped = (
  exports: unknown,
  require: OwnRequire,
  module: LoadedFile['module'],
  filename: string,
  dirname: string,
) => void;

/**
 * The files of the built program, each loaded once, as Node loads CommonJS. Unlike Node it can tell what has been compiled
 * in the end: Node's own cache has a file as it was before it ran, without the functions that are compiled when called.
 */
export class ProgramFiles {
  readonly #folder: string;
  readonly #cache: CodeCache;
  readonly #flags: V8Flags;
  readonly #loaded = new Map<string, LoadedFile>();
  /** Texts of files that may be loaded when they are no longer there. */
  readonly #kept = new Map<string, Buffer>();
  readonly #require = createRequire(import.meta.url);
  /** What is compiled: files are read and checked in one place, and become strings once. */
  #text = bufferOf(BUFFER_SIZE);

  /** @param folder that all files are in */
  constructor(folder: string, cache: CodeCache, flags: V8Flags = new V8Flags()) {
    this.#folder = folder;
    this.#cache = cache;
    this.#flags = flags;
  }

  /**
   * The exports of a file.
   * @throws Error with the code `MODULE_NOT_FOUND`, as Node's, where there is no such file; what Node throws where it
   * cannot be compiled; what the file throws
   */
  load(path: string): unknown {
    const loaded = this.#loaded.get(path);
    if (loaded) return loaded.module.exports;
    const file = this.#compile(path);
    this.#loaded.set(path, file);
    try {
      this.#run(path, file);
    } catch (error) {
      this.#loaded.delete(path);
      throw error;
    }
    return file.module.exports;
  }

  /** Has a file loaded later as it is now, whatever becomes of it. @throws what Node throws where there is none */
  keep(path: string): void {
    if (!this.#loaded.has(path)) this.#kept.set(path, readFileSync(path));
  }

  /** What has been compiled so far, by name. */
  *compiled(): Generator<CompiledFile> {
    for (const [path, { script, checksum }] of this.#loaded)
      yield {
        name: this.#nameOf(path),
        checksum,
        data: this.#flags.withUsual(() => script.createCachedData()),
      };
  }

  /** Positions in stack traces are those in the file. */
  #compile(path: string): LoadedFile {
    const length = this.#read(path);
    const checksum = crc32(this.#text.subarray(HEAD.length, HEAD.length + length));
    const cachedData = this.#cache.dataFor(this.#nameOf(path), checksum);
    const options = { filename: path, columnOffset: -HEAD.length, ...(cachedData && { cachedData }) };
    const wrapped = this.#text.toString('latin1', 0, HEAD.length + length + TAIL.length);
    const script = this.#flags.withUsual(() => new Script(wrapped, options));
    if (script.cachedDataRejected !== false) this.#cache.miss();
    return { module: { exports: {} }, script, checksum };
  }

  /** Reads a file between head and tail. Its characters are ASCII, see `bundle/ascii-only.ts`. Returns its length. */
  #read(path: string): number {
    const kept = this.#kept.get(path);
    return kept === undefined ? this.#readFromDisk(path) : this.#takeKept(path, kept);
  }

  #takeKept(path: string, kept: Buffer): number {
    this.#kept.delete(path);
    this.#makeRoom(kept.length);
    kept.copy(this.#text, HEAD.length);
    this.#text.write(TAIL, HEAD.length + kept.length, 'latin1');
    return kept.length;
  }

  #readFromDisk(path: string): number {
    const fd = opened(path);
    try {
      const { size } = fstatSync(fd);
      this.#makeRoom(size);
      let length = 0;
      let read = 0;
      do {
        read = readSync(fd, this.#text, HEAD.length + length, size - length, null);
        length += read;
      } while (read > 0 && length < size);
      this.#text.write(TAIL, HEAD.length + length, 'latin1');
      return length;
    } finally {
      closeSync(fd);
    }
  }

  #makeRoom(size: number): void {
    const needed = HEAD.length + size + TAIL.length;
    if (needed > this.#text.length) this.#text = bufferOf(needed);
  }

  #run(path: string, { module, script }: LoadedFile): void {
    const folder = dirname(path);
    const load = (name: string) =>
      name.startsWith('.') ? this.load(join(folder, name)) : this.#require(name);
    const require: OwnRequire = Object.assign(load, {
      keep: (name: string) => this.keep(join(folder, name)),
    });
    const run = script.runInThisContext() as Wrapped;
    run.call(module.exports, module.exports, require, module, path, folder);
  }

  #nameOf(path: string): string {
    return relative(this.#folder, path).replaceAll(sep, '/');
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw Object.assign(new Error(`Cannot find '${path}'`, { cause }), { code: 'MODULE_NOT_FOUND' });
  }
}

function bufferOf(size: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(size);
  buffer.write(HEAD, 'latin1');
  return buffer;
}
