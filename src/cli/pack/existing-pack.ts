import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { Replacement, writeFileAtomically } from '../../base/files.ts';
import { type Archive, ArchiveError, keptArchive, readArchive, readFileIn } from '../../pack/archive.ts';
import {
  ExistingPackError,
  indexInside,
  MAX_INSIDE,
  META_NAME,
  type OwnFiles,
  OwnNamespace,
  ownFilesIn,
  type PackChanges,
  verifyFormats,
  verifyUnchanged,
} from '../../pack/existing.ts';
import { texturePath } from '../../pack/names.ts';
import { deflated, type PackFile } from '../../pack/pack.ts';
import { INDEX_NAME, type ReadIndex } from '../../pack/pack-index.ts';
import type { ZipWriter } from '../../pack/zip.ts';
import { CliError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';
import type { EarlierPack } from './earlier-pack.ts';
import type { PackWriter } from './pack-output.ts';
import { type PackPlace, parsedIndex } from './places.ts';

interface ExistingOptions {
  readonly namespace: string;
  /** Whether the pack may be for versions of Minecraft that show no skins from packs. */
  readonly isOlderAllowed: boolean;
}

/** Writes into a pack that others made: all files that are not ours stay as they are. */
export interface ExistingPack extends PackWriter, Pick<EarlierPack, 'index' | 'texture'> {
  readonly changes: PackChanges;
  readonly others: number;
  /** Whether `put` would write anything. After `finish`. */
  readonly hasChanged: boolean;
  /** The copy of the pack as it was, after `put`. */
  readonly copy: string | undefined;
}

/** @throws CliError if the pack cannot be changed */
export function openExisting({ name, kind }: PackPlace, options: ExistingOptions): ExistingPack {
  return explained(name, () => (kind === 'zip' ? openZip(name, options) : new ExistingFolder(name, options)));
}

function openZip(name: string, options: ExistingOptions): ExistingZip {
  const file = new OpenFile(name);
  try {
    return new ExistingZip({ name, file }, options);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Errors about a pack begin with its name. @throws CliError */
function explained<T>(name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new CliError('pack_unusable', `${clean(name)} ${clean(error.message)}`, { cause: error });
    if (error instanceof ExistingPackError)
      throw new CliError('pack_unusable', `${clean(name)} ${clean(error.message)}`, {
        ...(error.hint !== undefined && { hint: error.hint }),
        cause: error,
      });
    throw error;
  }
}

/** Reads a file by its positions, and knows whether it is still the same later. */
class OpenFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #identity: string;
  #isOpen = true;
  readonly size: number;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, 'r');
    const stats = fstatSync(this.#fd, { bigint: true });
    this.#identity = `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    this.size = Number(stats.size);
  }

  read(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const count = readSync(this.#fd, bytes, at, length - at, offset + at);
      if (count === 0) throw new ArchiveError('became shorter while it was read.');
      at += count;
    }
    return bytes;
  }

  isUnchanged(): boolean {
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return stats !== undefined && `${stats.ino} ${stats.size} ${stats.mtimeNs}` === this.#identity;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }
}

class ExistingZip implements ExistingPack {
  readonly #name: string;
  readonly #file: OpenFile;
  readonly #archive: Archive;
  readonly #own: OwnFiles;
  readonly #namespace: OwnNamespace;
  readonly #indexPath: string;
  readonly #out: Replacement;
  readonly #sha1: Hash = createHash('sha1');
  readonly #zip: ZipWriter;
  readonly #earlierIndex: Buffer | undefined;
  readonly index: ReadIndex | undefined;
  readonly others: number;
  #indexText = '';
  #bytes = 0;
  #isSameIndex = false;
  copy: string | undefined;

  /** Then the file belongs to it. */
  constructor(
    { name, file }: { readonly name: string; readonly file: OpenFile },
    { namespace, isOlderAllowed }: ExistingOptions,
  ) {
    this.#name = name;
    this.#file = file;
    this.#archive = readArchive(this.#file);
    verifyFormats(this.#read(META_NAME), isOlderAllowed);
    this.#indexPath = indexInside(namespace);
    this.#earlierIndex = this.#read(this.#indexPath);
    this.#own = this.#present(ownFilesIn(this.#earlierIndex, namespace));
    this.index = this.#earlierIndex && parsedIndex(join(name, this.#indexPath), this.#earlierIndex);
    const isOurs = (path: string) => path in this.#own || path === this.#indexPath;
    const others = this.#archive.files.map((file) => file.name).filter((path) => !isOurs(path));
    this.#namespace = new OwnNamespace(this.#own, others);
    this.others = others.filter((path) => !path.endsWith('/')).length;
    this.#out = new Replacement(name);
    this.#zip = this.#copy(isOurs);
  }

  /** Copies all files but these. Returns what writes others behind them. */
  #copy(isDropped: (path: string) => boolean): ZipWriter {
    try {
      const kept = keptArchive(this.#archive, ({ name }) => isDropped(name));
      let next = kept.next();
      for (; !next.done; next = kept.next()) this.#write(next.value);
      return next.value;
    } catch (error) {
      this.#out.discard();
      throw error;
    }
  }

  /** Those of our files that are there, as they were written. */
  #present(own: OwnFiles): OwnFiles {
    const names = new Set(this.#archive.files.map(({ name }) => name));
    const entries = Object.entries(own).filter(([path]) => names.has(path));
    for (const [path] of entries) verifyUnchanged(path, this.#read(path)!, own);
    return Object.fromEntries(entries);
  }

  #read(path: string): Buffer | undefined {
    const file = this.#archive.files.find(({ name }) => name === path);
    return file && readFileIn(this.#archive, file, MAX_INSIDE);
  }

  texture(location: string): Buffer | undefined {
    const path = texturePath(location);
    return path in this.#own ? explained(this.#name, () => this.#read(path)) : undefined;
  }

  get changes(): PackChanges {
    return this.#namespace.changes;
  }

  get hasChanged(): boolean {
    return this.#namespace.hasChanged || !this.#isSameIndex;
  }

  add(file: PackFile): void {
    if (file.path === META_NAME) return; // theirs stays
    if (file.path === INDEX_NAME) {
      this.#indexText = Buffer.from(file.bytes).toString();
      return;
    }
    explained(this.#name, () => this.#namespace.add(file));
    this.#append(file);
  }

  #append(file: PackFile): void {
    this.#write(...this.#zip.file({ name: file.path, bytes: file.bytes, deflated: deflated(file) }));
  }

  finish(): { readonly bytes: number; readonly sha1: string } {
    this.#namespace.finish();
    // Without textures nothing of ours is left, not even the index.
    if (this.#indexText !== '') {
      const bytes = Buffer.from(this.#namespace.index(this.#indexText));
      this.#isSameIndex = this.#earlierIndex?.equals(bytes) ?? false;
      this.#append({ path: this.#indexPath, bytes, isText: true });
    }
    this.#write(this.#zip.end(this.#archive.comment));
    this.#out.close(true);
    return { bytes: this.#bytes, sha1: this.#sha1.digest('hex') };
  }

  put(): void {
    if (!this.hasChanged) {
      this.discard();
      return;
    }
    if (!this.#file.isUnchanged()) throw changedMeanwhile(this.#name);
    this.copy = keepCopy(this.#name, this.#archive);
    this.#file.close(); // Windows replaces no open file
    this.#out.replace(true);
  }

  discard(): void {
    this.#out.discard();
    this.#file.close();
  }

  #write(...chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      this.#out.write(chunk);
      this.#sha1.update(chunk);
      this.#bytes += chunk.length;
    }
  }
}

function changedMeanwhile(name: string): CliError {
  return new CliError('pack_changed', `${clean(name)} changed in the meantime, so it was left as it is.`, {
    hint: 'Run the same command again.',
  });
}

/**
 * Keeps a zip as it is beside it, under a name that follows from its bytes, so that it replaces nothing. The pack is about to be
 * replaced by a rename, so a second name for the file is enough where the file system has such names.
 */
function keepCopy(name: string, { source }: Archive): string {
  const sha1 = createHash('sha1');
  const chunkSize = 1024 * 1024;
  for (let at = 0; at < source.size; at += chunkSize)
    sha1.update(source.read(at, Math.min(chunkSize, source.size - at)));
  const extension = extname(name);
  const copy = `${name.slice(0, name.length - extension.length)}.${sha1.digest('hex').slice(0, 8)}${extension}`;
  if (statSync(copy, { throwIfNoEntry: false })) return copy;
  try {
    linkSync(name, copy);
  } catch {
    copyFileSync(name, copy); // the file system has no links
  }
  return copy;
}

class ExistingFolder implements ExistingPack {
  readonly #name: string;
  readonly #own: OwnFiles;
  readonly #namespace: OwnNamespace;
  readonly #indexPath: string;
  /** Those that differ from what is there. */
  readonly #files: PackFile[] = [];
  readonly #earlierIndex: Buffer | undefined;
  readonly index: ReadIndex | undefined;
  readonly others: number;
  #indexText = '';
  #bytes = 0;
  readonly copy = undefined;

  constructor(name: string, { namespace, isOlderAllowed }: ExistingOptions) {
    this.#name = name;
    this.#indexPath = indexInside(namespace);
    verifyFormats(this.#read(META_NAME), isOlderAllowed);
    const files = filesIn(name);
    this.#earlierIndex = files.has(this.#indexPath) ? this.#read(this.#indexPath) : undefined;
    this.index = this.#earlierIndex && parsedIndex(join(name, this.#indexPath), this.#earlierIndex);
    const own = Object.entries(ownFilesIn(this.#earlierIndex, namespace));
    this.#own = Object.fromEntries(own.filter(([path]) => files.has(path)));
    for (const path of Object.keys(this.#own)) verifyUnchanged(path, this.#read(path)!, this.#own);
    const others = [...files].filter((path) => !(path in this.#own) && path !== this.#indexPath);
    this.#namespace = new OwnNamespace(this.#own, others);
    this.others = others.length;
  }

  #read(path: string): Buffer | undefined {
    const file = join(this.#name, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    if (found.size > MAX_INSIDE)
      throw new ExistingPackError(`has a file of more than ${MAX_INSIDE} bytes: ${path}`);
    return readFileSync(file);
  }

  texture(location: string): Buffer | undefined {
    const path = texturePath(location);
    return path in this.#own ? this.#read(path) : undefined;
  }

  get changes(): PackChanges {
    return this.#namespace.changes;
  }

  get hasChanged(): boolean {
    return this.#namespace.hasChanged || this.#newIndex() !== this.#earlierIndex?.toString();
  }

  add(file: PackFile): void {
    if (file.path === META_NAME) return;
    if (file.path === INDEX_NAME) {
      this.#indexText = Buffer.from(file.bytes).toString();
      return;
    }
    const isNew = explained(this.#name, () => this.#namespace.add(file));
    if (isNew) this.#files.push(file);
    this.#bytes += file.bytes.length;
  }

  /** Undefined if nothing of ours is left. */
  #newIndex(isUnderway = false): string | undefined {
    return this.#indexText === '' ? undefined : this.#namespace.index(this.#indexText, isUnderway);
  }

  finish(): { readonly bytes: number } {
    this.#namespace.finish();
    return { bytes: this.#bytes };
  }

  /** File by file. A run that is killed leaves an index with both states, so that the next one knows all files as ours. */
  put(): void {
    if (!this.hasChanged) return;
    const index = join(this.#name, this.#indexPath);
    const [text, underway] = [this.#newIndex(), this.#newIndex(true)];
    if (underway !== undefined) writeFileAtomically(index, underway, { durable: true });
    for (const { path, bytes } of this.#files)
      writeFileAtomically(join(this.#name, path), bytes, { durable: true });
    for (const path of this.#namespace.gone) this.#remove(path);
    if (text === undefined) this.#remove(this.#indexPath);
    else writeFileAtomically(index, text, { durable: true });
  }

  /** Removes a file of ours, and the folders that it leaves empty. */
  #remove(path: string): void {
    rmSync(join(this.#name, path), { force: true });
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const isEmpty = readdirSync(join(this.#name, folder)).length === 0;
      if (!isEmpty) return;
      rmdirSync(join(this.#name, folder));
    }
  }

  discard(): void {}
}

/** Paths of all that is no folder, with `/`. A link to a folder is one of them: what is behind it is not in the pack. */
function filesIn(root: string): ReadonlySet<string> {
  const files = new Set<string>();
  // Node's own recursion follows links.
  const collect = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) collect(`${path}/`);
      else files.add(path);
    }
  };
  collect('');
  return files;
}
