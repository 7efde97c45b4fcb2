import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { asidePath, makeFolder, Replacement, withPath } from '../../base/files.ts';
import { parsedJson } from '../../base/text.ts';
import { functionPath, texturePath } from '../../pack/names.ts';
import {
  deflated,
  GENERATOR,
  INDEX_NAME,
  type IndexedSkin,
  PACK_MARK,
  type PackFile,
  type PackIndex,
} from '../../pack/pack.ts';
import { ZipTooLargeError, ZipWriter } from '../../pack/zip.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { type OutputGuard, readPart, startOf } from '../output/output-guard.ts';
import { clean } from '../text/text.ts';

/** Where a pack is written. */
export interface PackPlace {
  /** As typed. */
  readonly name: string;
  readonly kind: 'zip' | 'folder';
}

/** @throws CliError if it could be neither */
export function packPlace(option: string, name: string): PackPlace {
  if (name === '') throw usageError('no_output', `The name after ${option} is empty.`);
  const isFolder = /[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return { name, kind: 'folder' };
  if (/\.zip$/i.test(name)) return { name, kind: 'zip' };
  if (extname(name) === '') return { name, kind: 'folder' };
  const hint = `A pack is a file whose name ends in .zip, or a folder: ${clean(name)}/`;
  throw usageError('not_a_pack', `${option} ${clean(name)} names neither a zip nor a folder.`, hint);
}

/** Largest index that is read: that of a folder, to know its files. */
const MAX_INDEX = 256 * 1024 * 1024;

/** Whether a text begins as an index does, and of which pack. */
function indexedPack(start: string): string | undefined {
  const [, pack] = /^\{\s*"generator": "skinsmith pack",[^}]*?"pack": ("(?:[^"\\]|\\.)*")/.exec(start) ?? [];
  return pack === undefined ? undefined : (JSON.parse(pack) as string);
}

/** Bytes at the start of an index that tell its pack. */
const INDEX_START = 2_048;

/** @throws CliError if another file has the name, or the index of another pack */
export function verifyIndexPlace(path: string, pack: string, guard: OutputGuard): void {
  let other: string | undefined;
  guard.verify(path, {
    isOurs: (file) => {
      other = indexedPack(startOf(file, INDEX_START).toString());
      return other !== undefined;
    },
  });
  if (other === undefined || other === pack) return;
  throw usageError(
    'index_of_other_pack',
    `${clean(path)} is the index of ${clean(other)}.`,
    'Name another file for the index of this pack: --index FILE',
  );
}

/** Whether a file is an archive that we wrote: they end with a comment. */
function isOurZip(path: string): boolean {
  const { size } = statSync(path);
  if (size < PACK_MARK.length + 2 || !startOf(path, 2).equals(Buffer.from('PK'))) return false;
  const end = readPart(path, Math.max(0, size - PACK_MARK.length - 2), PACK_MARK.length + 2);
  return end.readUInt16LE(0) === PACK_MARK.length && end.toString('latin1', 2) === PACK_MARK;
}

/** @throws CliError if something is in its place that we did not write */
export function verifyPlace({ name, kind }: PackPlace, guard: OutputGuard): void {
  if (kind === 'zip') guard.verify(name, { isOurs: isOurZip });
  else verifyFolder(resolve(name), name);
}

/** A folder is replaced as a whole, so it may have nothing but what its own index names. */
function verifyFolder(path: string, name: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) throw notOurs(name, 'is not a folder');
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  if (files.length === 0) return;
  const own = ownFiles(join(path, INDEX_NAME));
  const other = files
    .map((file) => join(file.parentPath, file.name))
    .find((file) => {
      return !own.has(file.slice(path.length + 1).replaceAll(sep, '/'));
    });
  if (other !== undefined)
    throw notOurs(name, `has ${clean(other.slice(path.length + 1))}, which skinsmith did not write`);
}

function notOurs(name: string, why: string): CliError {
  return new CliError('output_exists', `${clean(name)} ${why}.`, {
    hint: 'A pack replaces a whole folder. Choose another folder, or a zip.',
  });
}

/** The files of a folder according to its index; none if that is not ours. */
function ownFiles(index: string): ReadonlySet<string> {
  const found = statSync(index, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_INDEX) return new Set();
  const { generator, namespace, skins } = (parsedJson(readFileSync(index, 'utf8')) ??
    {}) as Partial<PackIndex> & {
    generator?: unknown;
  };
  if (generator !== GENERATOR || typeof namespace !== 'string' || !Array.isArray(skins)) return new Set();
  const files = skins.flatMap(({ id, texture, cape, elytra }: Partial<IndexedSkin>) => [
    ...[texture, cape, elytra].flatMap((location) => (location ? [texturePath(location)] : [])),
    ...['give', 'summon'].map((act) => functionPath(namespace, `${act}/${id}`)),
  ]);
  const common = ['lineup', 'remove'].map((act) => functionPath(namespace, act));
  return new Set(['pack.mcmeta', 'pack.png', INDEX_NAME, ...common, ...files]);
}

/** A pack that is written beside its place. */
export interface PackWriter {
  add(file: PackFile): void;
  /** After the last file: everything is on the disk. `sha1`: of a zip. @throws CliError, Error of the file system */
  finish(index: (sha1: string | undefined) => string): { readonly bytes: number; readonly sha1?: string };
  /** Puts it in its place, which only a crash of the machine can prevent. */
  put(): void;
  /** Removes what was written. */
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

  finish(): { readonly bytes: number; readonly sha1: string } {
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

  #write(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#pending.push(piece);
      this.#size += piece.length;
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
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    makeFolder(dirname(path));
    this.#aside = asidePath(path);
    mkdirSync(this.#aside);
  }

  add({ path, bytes }: PackFile): void {
    const file = join(this.#aside, ...path.split('/'));
    try {
      const folder = dirname(file);
      if (!this.#folders.has(folder)) makeFolder(folder);
      this.#folders.add(folder);
      writeFileSync(file, bytes);
    } catch (error) {
      throw withPath(error, join(this.#path, path), file);
    }
    this.#bytes += bytes.length;
  }

  finish(index: (sha1: undefined) => string): { readonly bytes: number } {
    const bytes = this.#bytes;
    this.add({ path: INDEX_NAME, bytes: Buffer.from(index(undefined)) });
    return { bytes };
  }

  put(): void {
    const old = `${this.#aside}.old`;
    const isThere = lstatSync(this.#path, { throwIfNoEntry: false }) !== undefined;
    if (isThere) renameSync(this.#path, old);
    renameSync(this.#aside, this.#path);
    if (isThere) rmSync(old, { recursive: true, force: true });
  }

  discard(): void {
    rmSync(this.#aside, { recursive: true, force: true });
  }
}
