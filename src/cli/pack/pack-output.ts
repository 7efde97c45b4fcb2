import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asidePath, flushFiles, makeFolder, Replacement, replaceFolder, withPath } from '../../base/files.ts';
import { deflated, PACK_MARK, type PackFile } from '../../pack/pack.ts';
import { INDEX_NAME } from '../../pack/pack-index.ts';
import { ZipTooLargeError, ZipWriter } from '../../pack/zip.ts';
import { CliError } from '../errors/exit.ts';
import type { PackPlace } from './places.ts';

/** What was written. `sha1`: of a zip. */
interface Written {
  readonly bytes: number;
  readonly sha1?: string;
}

/** A pack that is written beside its place. */
export interface PackWriter {
  add(file: PackFile): void;
  /** After the last file: everything is on the disk. @throws CliError, Error of the file system */
  finish(index: (sha1: string | undefined) => string): Written | Promise<Written>;
  /** Puts it in its place, which only a crash of the machine can prevent. */
  put(): void;
  discard(): void;
}

export function openPack({ name, kind }: PackPlace): PackWriter {
  return kind === 'zip' ? new ZipPack(resolve(name)) : new FolderPack(resolve(name));
}

/** Bytes that are collected before they are written. */
const PIECE = 512 * 1024;

class ZipPack implements PackWriter {
  readonly #zip = new ZipWriter();
  readonly #sha1 = createHash('sha1');
  readonly #file: Replacement;
  #bytes = 0;
  #pending: Uint8Array[] = [];
  #size = 0;

  constructor(path: string) {
    this.#file = new Replacement(path);
  }

  add(file: PackFile): void {
    try {
      this.#write(...this.#zip.file({ name: file.path, bytes: file.bytes, deflated: deflated(file) }));
    } catch (error) {
      throw error instanceof ZipTooLargeError ? tooLarge(error) : error;
    }
  }

  finish(): Required<Written> {
    this.#write(this.#zip.end(PACK_MARK));
    this.#flush();
    this.#file.close(true);
    return { bytes: this.#bytes, sha1: this.#sha1.digest('hex') };
  }

  put(): void {
    this.#file.replace(true);
  }

  discard(): void {
    this.#file.discard();
  }

  #write(...chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      this.#pending.push(chunk);
      this.#size += chunk.length;
    }
    if (this.#size >= PIECE) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pending);
    this.#sha1.update(bytes);
    this.#file.write(bytes);
    this.#bytes += bytes.length;
    [this.#pending, this.#size] = [[], 0];
  }
}

function tooLarge(cause: Error): CliError {
  return new CliError('pack_too_large', 'The pack would have more than 4 GiB, which a zip cannot hold.', {
    hint: 'Make several packs, each with a --namespace of its own, or write a folder.',
    cause,
  });
}

class FolderPack implements PackWriter {
  readonly #path: string;
  readonly #aside: string;
  readonly #folders = new Set<string>();
  readonly #files: string[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    makeFolder(dirname(path));
    this.#aside = asidePath(path);
    mkdirSync(this.#aside);
    this.#folders.add(this.#aside);
  }

  add({ path, bytes }: PackFile): void {
    const file = join(this.#aside, ...path.split('/'));
    try {
      const folder = dirname(file);
      if (!this.#folders.has(folder)) makeFolder(folder);
      for (let at = folder; !this.#folders.has(at); at = dirname(at)) this.#folders.add(at);
      writeFileSync(file, bytes);
    } catch (error) {
      throw withPath(error, join(this.#path, path), file);
    }
    this.#files.push(file);
    this.#bytes += bytes.length;
  }

  async finish(index: (sha1: undefined) => string): Promise<Written> {
    const bytes = this.#bytes;
    this.add({ path: INDEX_NAME, bytes: Buffer.from(index(undefined)) });
    await flushFiles(this.#files, this.#folders);
    return { bytes };
  }

  put(): void {
    replaceFolder(this.#path, this.#aside);
  }

  discard(): void {
    rmSync(this.#aside, { recursive: true, force: true });
  }
}
