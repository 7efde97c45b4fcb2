import { hash } from 'node:crypto';
import { parsedJson } from '../base/text.ts';
import { foldedName } from './archive.ts';
import { formatsOf, OLDEST_GAME, OLDEST_RESOURCE_FORMAT } from './games.ts';
import type { PackFile } from './pack.ts';

/** Why skins cannot be put into a pack that is already there. `message` is a sentence without its subject, the pack. */
export class ExistingPackError extends Error {
  override readonly name = 'ExistingPackError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Bytes of the largest file in a pack that is read: its index. */
export const MAX_INSIDE = 64 * 1024 * 1024;

export const META_NAME = 'pack.mcmeta';

/** Where a pack that others share has the index of a namespace. */
export function indexInside(namespace: string): string {
  return `assets/${namespace}/skins.json`;
}

/**
 * Verifies that Minecraft shows skins of a pack with this pack.mcmeta.
 * @throws ExistingPackError
 */
export function verifyFormats(meta: Uint8Array | undefined, isOlderAllowed: boolean): void {
  if (!meta)
    throw new ExistingPackError(
      `has no ${META_NAME}, so it is not a resource pack.`,
      'The file must be at the top of the pack, not in a folder inside of it.',
    );
  const formats = formatsOf(parsedJson(Buffer.from(meta).toString('utf8')));
  if (!formats) throw new ExistingPackError(`has a ${META_NAME} without a format.`);
  if (formats.to >= OLDEST_RESOURCE_FORMAT && (formats.from >= OLDEST_RESOURCE_FORMAT || isOlderAllowed))
    return;
  const theirs =
    formats.from === formats.to ? `format ${formats.from}` : `formats ${formats.from} to ${formats.to}`;
  throw new ExistingPackError(
    `is for ${theirs}, but skins from packs need format ${OLDEST_RESOURCE_FORMAT} or newer (Minecraft ${OLDEST_GAME}).`,
    formats.to < OLDEST_RESOURCE_FORMAT
      ? `Its ${META_NAME} must name newer formats, as packs for newer versions do.`
      : 'Players with an older Minecraft would not see the skins. To put them into the pack all the same: --allow-older',
  );
}

/** The files of ours in a pack, by their paths: the SHA-1 of each, and during a change that of its successor. */
export type OwnFiles = Readonly<Record<string, readonly string[]>>;

/**
 * The files that an index inside a pack calls ours, as far as they are of this namespace: what it says about others proves
 * nothing.
 * @throws ExistingPackError if it is not ours
 */
export function ownFilesIn(index: Uint8Array | undefined, namespace: string): OwnFiles {
  if (!index) return {};
  const { files } = (parsedJson(Buffer.from(index).toString('utf8')) ?? {}) as { files?: unknown };
  const entries = Object.entries(typeof files === 'object' && files !== null ? files : {});
  const isOurs = ([path, digests]: [string, unknown]) =>
    isOwnPath(path, namespace) &&
    Array.isArray(digests) &&
    digests.every((digest) => typeof digest === 'string');
  if (entries.length === 0 || !entries.every(isOurs))
    throw new ExistingPackError(
      `has ${indexInside(namespace)}, which skinsmith did not write.`,
      OTHER_NAMESPACE,
    );
  return Object.fromEntries(entries) as OwnFiles;
}

/** `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

const OTHER_NAMESPACE = 'Choose another namespace: --namespace NAME';

function isOwnPath(path: string, namespace: string): boolean {
  const folder = `assets/${namespace}/textures/entity/`;
  const rest = path.slice(folder.length);
  const isPlain = rest.split('/').every((part) => part !== '' && !part.startsWith('.'));
  return path.startsWith(folder) && isPlain && /^(?:player|cape|elytra)\/[a-z0-9_./-]+\.png$/.test(rest);
}

export function digestOf(bytes: Uint8Array): string {
  return hash('sha1', bytes);
}

/** What a change does to a pack, in numbers of textures. */
export interface PackChanges {
  added: number;
  replaced: number;
  same: number;
  removed: number;
}

/** Decides for each file of ours whether it may be written, and counts what changes. */
export class OwnNamespace {
  readonly #own: OwnFiles;
  readonly #others: ReadonlySet<string>;
  readonly #files: Record<string, readonly string[]> = {};
  readonly changes: PackChanges = { added: 0, replaced: 0, same: 0, removed: 0 };

  /**
   * @param own files of ours that are there
   * @param others paths of all other files in the pack
   */
  constructor(own: OwnFiles, others: Iterable<string>) {
    this.#own = own;
    this.#others = new Set(Array.from(others, foldedName));
  }

  /** Whether the file differs from what is there. @throws ExistingPackError if a file that is not ours has the path */
  add({ path, bytes }: PackFile): boolean {
    if (this.#others.has(foldedName(path)))
      throw new ExistingPackError(`has ${path}, which skinsmith did not write.`, OTHER_NAMESPACE);
    const inTheWay = foldersOf(path).find((folder) => this.#others.has(foldedName(folder)));
    if (inTheWay !== undefined)
      throw new ExistingPackError(
        `has ${inTheWay}, which is not a folder, although skins need a folder there.`,
        OTHER_NAMESPACE,
      );
    const digest = digestOf(bytes);
    const before = this.#own[path];
    if (before === undefined) this.changes.added++;
    else if (before.includes(digest)) this.changes.same++;
    else this.changes.replaced++;
    this.#files[path] = [digest];
    return before?.length !== 1 || before[0] !== digest; // an interrupted run leaves two
  }

  /** After the last file. */
  finish(): void {
    this.changes.removed = this.gone.length;
  }

  /** Paths of ours that the pack no longer has. */
  get gone(): readonly string[] {
    return Object.keys(this.#own).filter((path) => !(path in this.#files));
  }

  get hasChanged(): boolean {
    const { added, replaced, removed } = this.changes;
    return added + replaced + removed > 0;
  }

  /** The index as it lies in the pack: with the files that are ours. `isUnderway`: earlier files are still there. */
  index(text: string, isUnderway = false): string {
    const files = isUnderway ? bothOf(this.#own, this.#files) : this.#files;
    const lines = Object.entries(files).map(
      ([path, digests]) => `    ${JSON.stringify(path)}: ${JSON.stringify(digests)}`,
    );
    return text.replace(/^\{\n/, `{\n  "files": {\n${lines.join(',\n')}\n  },\n`);
  }
}

function bothOf(before: OwnFiles, after: OwnFiles): OwnFiles {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    Array.from(paths, (path) => [path, [...new Set([...(before[path] ?? []), ...(after[path] ?? [])])]]),
  );
}

/**
 * Verifies that a file of ours is still as it was written.
 * @throws ExistingPackError
 */
export function verifyUnchanged(path: string, bytes: Uint8Array, own: OwnFiles): void {
  if (own[path]?.includes(digestOf(bytes))) return;
  throw new ExistingPackError(
    `has ${path}, which was changed since skinsmith wrote it.`,
    'Rename the file or remove it from the pack, or make the skin from it.',
  );
}
