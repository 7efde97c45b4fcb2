import { dirname } from 'node:path';
import type { SkinVisibility } from '../../protocol/skin.ts';

/** The requested variant: `auto` detects it from the picture. */
export type VariantInput = 'auto' | 'classic' | 'slim';

/** The problem of one source. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Preprocessing of a picture. */
interface Fitting {
  /** Whether an HD skin is scaled down to the size that the game shows; otherwise it is refused. */
  readonly fit?: boolean;
}

/** Where a source's content is. */
export type SourceContent =
  /** A file; absolute path. */
  | ({ readonly kind: 'file'; readonly path: string } & Fitting)
  /** A picture already in memory (stdin, data URL). */
  | ({ readonly kind: 'bytes'; readonly bytes: Uint8Array } & Fitting)
  /** A picture that the service fetches. */
  | ({ readonly kind: 'url'; readonly url: string } & Fitting)
  /**
   * A player's skin; UUID without dashes, or a name, lower case. `typed`: the name as written; `isGuess`: the
   * user did not say that it is a player.
   */
  | { readonly kind: 'user'; readonly user: string; readonly typed?: string; readonly isGuess?: boolean }
  /** Skin data instead of a picture. */
  | { readonly kind: 'data'; readonly given: SuppliedSkin }
  /**
   * 32 hexadecimal digits: a skin that the service has, else a player. `given`: the service's answer; absent
   * until it was asked.
   */
  | { readonly kind: 'uuid'; readonly uuid: string; readonly given?: SuppliedSkin }
  /** Unusable: a missing file, an invalid row. */
  | { readonly kind: 'problem'; readonly problem: SourceProblem };

/** Skin data given as a source. Its value contains a skin; its signer is not known yet. */
export interface SuppliedSkin {
  /** Base64 of the textures document. */
  readonly value: string;
  /** As given, unchecked. Absent if there was none. */
  readonly signature?: string | undefined;
  /** 32 hexadecimal digits. */
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly visibility?: SkinVisibility | undefined;
}

/** One thing to make a skin from, as the user named it. */
export interface BatchSource {
  /** Its name in results: the path as typed or walked to, the URL, `-`, the start of a data URL. */
  readonly label: string;
  readonly content: SourceContent;
  /** Where its output belongs: path below the output folder, `/` between segments, no extension, not sanitized yet. */
  readonly stem: string;
  /** A name given for this very source (a column of a list); otherwise the stem's last part suggests one. */
  readonly name?: string | undefined;
  /** The list that names it; absolute path. */
  readonly list?: string | undefined;
  /** Options for this source only; otherwise those of the batch apply. */
  readonly variant?: VariantInput | undefined;
  readonly visibility?: SkinVisibility | undefined;
}

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

/** A batch that cannot start or continue, for a reason not tied to a single source: a missing list, stdin used twice. */
export class BatchSetupError extends Error {
  override readonly name = 'BatchSetupError';
  readonly code: string;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, rest: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: rest.cause });
    this.code = code;
    this.hint = rest.hint;
  }
}
