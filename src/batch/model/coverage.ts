import { dirname } from 'node:path';
import type { BatchSource } from './source.ts';

/** A folder that was walked to its end. */
export interface WalkedFolder {
  /** Absolute. */
  readonly path: string;
  /** Whether its subfolders were walked too. */
  readonly recursive: boolean;
  /** Whether there was no picture in it: it may be the wrong folder, or not mounted. */
  readonly isEmpty: boolean;
}

/**
 * The folders and lists that a run has read whole. Only about what they cover does the run know that it is gone: the
 * lockfile may have entries from other folders and lists.
 */
export class Coverage {
  readonly #folders: WalkedFolder[] = [];
  readonly #lists = new Set<string>();
  readonly #doubtful = new Set<string>();

  addFolder(folder: WalkedFolder): void {
    this.#folders.push(folder);
  }

  /** @param path absolute, of a list that has rows */
  addList(path: string): void {
    this.#lists.add(path);
  }

  /** A source has failed. If a list names it, another one may seem gone only because its row is misspelled. */
  addFailure({ list }: Pick<BatchSource, 'list'>): void {
    if (list !== undefined) this.#doubtful.add(list);
  }

  /** The folder in which the run would have found a file. */
  folderOf(file: string): WalkedFolder | undefined {
    return this.#folders.find((folder) => isIn(file, folder));
  }

  /** Whether every source that a list names is known. */
  hasList(path: string): boolean {
    return this.#lists.has(path) && !this.#doubtful.has(path);
  }
}

function isIn(file: string, { path, recursive }: WalkedFolder): boolean {
  if (!recursive) return dirname(file) === path;
  for (let at = dirname(file), below = file; at !== below; below = at, at = dirname(at))
    if (at === path) return true;
  return false;
}
