import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Archive, ArchiveError, readArchive, readFileIn } from '../../pack/archive.ts';
import { indexInside } from '../../pack/existing.ts';
import { texturePath } from '../../pack/names.ts';
import { INDEX_NAME, isIndexText, type ReadIndex } from '../../pack/pack-index.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';
import {
  indexedPackOf,
  indexPlace,
  isOurZip,
  isZip,
  MAX_INDEX,
  type PackPlace,
  parsedIndex,
  readIndexFile,
} from './places.ts';

/** Largest texture that is taken from an earlier pack, in bytes: far more than one of 1024×1024 pixels needs. */
const MAX_TEXTURE = 8 * 1024 * 1024;

/** The files of a pack that was written before; empty if there is none. */
export interface EarlierFiles {
  /** The bytes of a file; undefined if there is none. @throws CliError if the pack is damaged */
  read(path: string, limit: number): Uint8Array | undefined;
  close(): void;
}

/** What the last run left in the place of a pack. */
export class EarlierPack {
  readonly index: ReadIndex | undefined;
  readonly #files: EarlierFiles;
  /** The files that the next run replaces, and how they were when they were read. */
  readonly #seen: ReadonlyMap<string, string>;

  /** @param index where the user says that it is @throws CliError */
  constructor(place: PackPlace, index: string | undefined) {
    const paths = [place.name, indexPlace(place), ...(index === undefined ? [] : [index])];
    this.#seen = new Map(paths.map((path) => [path, stateOf(path)]));
    this.#files = filesOf(place);
    try {
      this.index = findIndex(place, index, this.#files);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  texture(location: string): Uint8Array | undefined {
    return this.#files.read(texturePath(location), MAX_TEXTURE);
  }

  /** @throws CliError if another run has written the pack since: names that it gave would be lost */
  verifyUnchanged(): void {
    for (const [path, state] of this.#seen) {
      if (stateOf(path) === state) continue;
      const hint = 'Run the same command again: nothing is lost.';
      throw new CliError('pack_changed', `Another program has changed ${clean(path)} in the meantime.`, {
        hint,
      });
    }
  }

  close(): void {
    this.#files.close();
  }
}

/** Empty for what keeps nothing, such as a pipe, whose times change with each reader. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() || found?.isDirectory() ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

/** An index, and the absolute path of the folder from which it names sources. */
interface PlacedIndex {
  readonly index: ReadIndex;
  readonly home: string;
}

/**
 * The index of a pack that the user named as a zip, as a folder, or as its index. `namespace`: of a pack that has several.
 * @throws CliError
 */
export function readPackIndex(name: string, namespace: string | undefined): PlacedIndex {
  const hint = 'Give a pack that skinsmith pack wrote (a zip or a folder), or its index.';
  const found = statSync(name, { throwIfNoEntry: false });
  if (!found) throw new CliError('no_such_pack', `No pack ${clean(name)}.`, { exit: 'usage', hint });
  const isFolder = found.isDirectory();
  const above = dirname(resolve(name));
  if (!isFolder && !isZip(name)) return { index: readIndexFile(name), home: above };
  const pack = new EarlierPack({ name, kind: isFolder ? 'folder' : 'zip' }, undefined);
  pack.close();
  if (pack.index) return { index: pack.index, home: isFolder ? resolve(name) : above };
  const [first, ...others] = indexesInside(name, isFolder, namespace);
  if (others.length > 0) {
    const message = `${clean(name)} has skins in several namespaces.`;
    throw usageError('several_namespaces', message, 'Name one of them: --namespace NAME');
  }
  if (first) return { index: first, home: above };
  throw new CliError('no_index', `${clean(name)} has no index of its skins.`, { exit: 'usage', hint });
}

/** Those of a pack of others into which skins were put. @throws CliError */
function indexesInside(name: string, isFolder: boolean, namespace: string | undefined): readonly ReadIndex[] {
  const files = isFolder ? new EarlierFolder(name) : new EarlierZip(name);
  try {
    const namespaces = namespace === undefined ? files.namespaces() : [namespace];
    return namespaces.flatMap((one) => {
      const path = indexInside(one);
      const bytes = files.read(path, MAX_INDEX);
      const isIndex = bytes && isIndexText(Buffer.from(bytes).toString());
      return isIndex ? [parsedIndex(join(name, path), bytes)] : [];
    });
  } finally {
    files.close();
  }
}

/** The one beside a pack; else the copy inside of it; else that of version 1, which was `skins.json` for every zip. */
function findIndex(place: PackPlace, named: string | undefined, files: EarlierFiles): ReadIndex | undefined {
  if (named !== undefined && exists(named)) return readIndexFile(named);
  const own = indexPlace(place);
  if (exists(own)) return ofPack(readIndexFile(own), own, place);
  if (place.kind === 'folder') return undefined;
  const old = join(dirname(place.name), INDEX_NAME);
  return (
    indexIn(place.name, files) ??
    (indexedPackOf(old) === basename(resolve(place.name)) ? readIndexFile(old) : undefined)
  );
}

function exists(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function ofPack(index: ReadIndex, path: string, { name }: PackPlace): ReadIndex {
  const own = basename(resolve(name));
  if (index.pack === own) return index;
  const hint = `Name the index to continue with: --index ${clean(path)}, or delete it.`;
  throw usageError('index_of_other_pack', `${clean(path)} is the index of ${clean(index.pack)}.`, hint);
}

function indexIn(name: string, files: EarlierFiles): ReadIndex | undefined {
  const bytes = files.read(INDEX_NAME, MAX_INDEX);
  return bytes && parsedIndex(join(name, INDEX_NAME), bytes);
}

function filesOf({ name, kind }: PackPlace): EarlierFiles {
  if (kind === 'folder') return new EarlierFolder(name);
  const found = statSync(name, { throwIfNoEntry: false });
  return found?.isFile() && isOurZip(name) ? new EarlierZip(name) : NONE;
}

const NONE: EarlierFiles = { read: () => undefined, close: () => {} };

class EarlierFolder implements EarlierFiles {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  read(path: string, limit: number): Uint8Array | undefined {
    const file = join(this.#path, ...path.split('/'));
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && found.size <= limit ? readFileSync(file) : undefined;
  }

  namespaces(): readonly string[] {
    const assets = join(this.#path, 'assets');
    return existsSync(assets) ? readdirSync(assets) : [];
  }

  close(): void {}
}

class EarlierZip implements EarlierFiles {
  readonly #name: string;
  readonly #fd: number;
  #isOpen = true;
  /** Read when a file is wanted for the first time. */
  #archive:
    | { readonly all: Archive; readonly files: ReadonlyMap<string, Archive['files'][number]> }
    | undefined;

  constructor(name: string) {
    this.#name = name;
    this.#fd = openSync(name, 'r');
  }

  read(path: string, limit: number): Uint8Array | undefined {
    try {
      this.#archive ??= this.#open();
      const file = this.#archive.files.get(path);
      return file && readFileIn(this.#archive.all, file, limit);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof ArchiveError)) return error;
    const hint = 'Restore it, or delete it to start without what it remembers.';
    return new CliError('damaged_pack', `${clean(this.#name)} ${error.message}`, { hint, cause: error });
  }

  namespaces(): readonly string[] {
    this.read('pack.mcmeta', MAX_INDEX); // says what is wrong with the archive
    const names = [...(this.#archive?.files.keys() ?? [])].flatMap(
      (path) => /^assets\/([^/]+)\//.exec(path)?.[1] ?? [],
    );
    return [...new Set(names)];
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  #open() {
    const fd = this.#fd;
    const all = readArchive({
      size: fstatSync(fd).size,
      read: (offset, length) => {
        const bytes = Buffer.alloc(length);
        return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
      },
    });
    return { all, files: new Map(all.files.map((file) => [file.name, file])) };
  }
}
