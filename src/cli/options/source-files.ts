import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { withoutFileScheme } from '../../batch/sources/files.ts';
import { usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';

/** The option that allows outputs to replace other people's files. */
export const OVERWRITE = [
  '--overwrite',
  'replace files that skinsmith did not write, but never a source',
] as const;

/** The files that a user named as sources, and the pictures in the folders named: nothing may be written over them. */
export class SourceFiles {
  readonly #files = new Set<string>();
  readonly #folders: string[] = [];

  /** Texts that are no paths, such as players, are left out. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const path = withoutFileScheme(text);
      const found = statsOf(path);
      if (found?.isFile()) this.#files.add(identityOf(found));
      if (found?.isDirectory()) this.#folders.push(realpathSync(path) + sep);
    }
  }

  /** Whether a path leads to one of them, however it is written and through whatever links. */
  has(path: string): boolean {
    const found = this.#files.size + this.#folders.length > 0 ? statsOf(path) : undefined;
    if (!found?.isFile()) return false;
    return this.#files.has(identityOf(found)) || (/\.png$/i.test(path) && this.#isInFolder(path));
  }

  /** @throws CliError */
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

function statsOf(text: string): BigIntStats | undefined {
  try {
    return statSync(text, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // pasted skin data is too long for a path
  }
}

/** A file's number distinguishes it where names do not: file systems differ in what names they treat as the same. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
