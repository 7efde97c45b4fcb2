import {
  type BigIntStats,
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { resolve, sep } from 'node:path';
import { isStream, Leftovers, writeFileAtomically } from '../../base/files.ts';
import { withoutFileScheme } from '../../batch/sources/files.ts';
import { isMarkedPng, MARKED_BYTES } from '../../skin/png/encode.ts';
import { SIGNATURE } from '../../skin/png/header.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';

/** The existing files that an output may replace. */
export interface Replaceable {
  /** Whether a file is an earlier output of the same kind. */
  readonly isOurs: (path: string) => boolean;
  /** The output is itself a picture; any other never replaces one. */
  readonly isPicture?: boolean;
  /** The same for a lockfile. */
  readonly isLockfile?: boolean;
  /** The user did not name the path itself: nothing is written into a pipe or a device there. */
  readonly isOnlyFile?: boolean;
}

/** A picture that we draw: it may replace another one with our mark. */
export const DRAWN_PICTURE: Replaceable = {
  isOurs: (path) => isMarkedPng(startOf(path, MARKED_BYTES)),
  isPicture: true,
};

/** A copy of a picture has no mark: an existing file is either the same or not ours. */
export const COPIED_PICTURE: Replaceable = { isOurs: () => false, isPicture: true };

/** Lockfiles hold paid skins: no output of another kind replaces one. */
const LOCKFILE = /\.lock$/i;

/** The files that a user named as sources, and the pictures in the folders named: nothing may be written over them. */
export class SourceFiles {
  readonly #files = new Set<string>();
  readonly #folders: string[] = [];

  /** Texts that are no paths, such as players, are left out. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const path = withoutFileScheme(text);
      const found = identifiedStats(path);
      if (found?.isFile()) this.#files.add(identityOf(found));
      if (found?.isDirectory()) this.#folders.push(realpathSync(path) + sep);
    }
  }

  /** Whether a path leads to one of them, in any spelling and through any links. */
  has(path: string): boolean {
    const found = this.#files.size + this.#folders.length > 0 ? identifiedStats(path) : undefined;
    if (!found?.isFile()) return false;
    return this.#files.has(identityOf(found)) || (/\.png$/i.test(path) && this.#isInFolder(path));
  }

  verifyOther(out: string): void {
    if (!this.has(out)) return;
    throw usageError(
      'output_is_source',
      `${clean(out)} is a source, which the output would replace.`,
      'Choose another output file.',
    );
  }

  #isInFolder(path: string): boolean {
    const real = realpathSync(path);
    return this.#folders.some((folder) => real.startsWith(folder));
  }
}

function identifiedStats(text: string): BigIntStats | undefined {
  try {
    return statSync(text, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // pasted skin data is too long for a path
  }
}

/** A file's inode identifies it where names do not: file systems differ in which names they treat as the same. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Keeps outputs from replacing files that skinsmith did not write, and always from replacing this run's sources. */
export class OutputGuard {
  readonly #inputs: SourceFiles;
  readonly #overwrite: boolean;
  readonly #leftovers = new Leftovers(Date.now());

  /** @param inputs paths that this run reads, @param overwrite the user allows to replace all other files */
  constructor(
    inputs: readonly string[],
    { overwrite = false }: { readonly overwrite?: boolean | undefined } = {},
  ) {
    this.#inputs = new SourceFiles(inputs);
    this.#overwrite = overwrite;
  }

  /** Writes an output, unless that is there already. Returns whether the file is a new one. @throws CliError */
  write(path: string, data: string | Uint8Array, replaceable: Replaceable): boolean {
    if (hasContent(path, data)) return false;
    this.verify(path, replaceable);
    this.#leftovers.remove(resolve(path));
    writeFileAtomically(resolve(path), data);
    return !isStream(path);
  }

  /** Verifies that an output may be written to a path. @throws CliError */
  verify(
    path: string,
    { isOurs, isPicture = false, isLockfile = false, isOnlyFile = false }: Replaceable,
  ): void {
    const found = statsOf(path);
    if (isStream(path) && isOnlyFile) throw notOurs(path);
    if (isStream(path) || found?.isDirectory()) return; // writing to a folder fails by itself
    if (!found && !lstatSync(path, { throwIfNoEntry: false })) return;
    this.#inputs.verifyOther(path);
    if (found && !isPicture && isPng(path)) throw otherThere(path, 'picture');
    if (found && found.size > 0 && !isLockfile && LOCKFILE.test(path)) throw otherThere(path, 'lockfile');
    if (found?.size === 0 || (found && isOurs(path)) || this.#overwrite) return;
    throw notOurs(path);
  }

  /** @throws CliError if a path leads to something that this run reads */
  verifyNoInput(path: string): void {
    this.#inputs.verifyOther(path);
  }
}

/** The start of a file; less if it is shorter. */
export function startOf(path: string, length: number): Buffer {
  return readPart(path, 0, length);
}

/** The same from any position. */
export function readPart(path: string, from: number, length: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, from));
  } finally {
    closeSync(fd);
  }
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function hasContent(path: string, data: string | Uint8Array): boolean {
  const bytes = Buffer.from(data);
  const found = statsOf(path);
  return found?.isFile() === true && found.size === bytes.length && readFileSync(path).equals(bytes);
}

function isPng(path: string): boolean {
  return /\.png$/i.test(path) || startOf(path, SIGNATURE.length).equals(SIGNATURE);
}

function otherThere(path: string, kind: 'picture' | 'lockfile'): CliError {
  return new CliError(`output_is_${kind}`, `${clean(path)} is a ${kind}, which the output would replace.`, {
    hint: 'Choose another output file.',
  });
}

function notOurs(path: string): CliError {
  return new CliError('output_exists', `${clean(path)} exists and skinsmith did not write it.`, {
    hint: 'Choose another output file, or replace it: --overwrite',
  });
}
