import { hash } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import nodePath from 'node:path';
import { nameDigits, shownName } from '../base/text.ts';
import { hasForeignLetters, transliterated } from '../base/transliteration.ts';
import { MAX_NAME_LENGTH, skinNameFrom } from '../protocol/skin-name.ts';
import type { BatchSource, SourceContent, SuppliedSkin } from './model.ts';

/** What a batch calls a source: in the lockfile, as a skin on services, and as an output file. */

/** Names with a meaning other than a file. */
const NOT_A_FILE = /^(?:https?|user|bytes|value|skin|bedrock):/i;
/** Hexadecimal digits. */
const DIGEST_LENGTH = 32;
/** Path segments that need resolving: empty, `.` and `..`. */
const NOT_PLAIN = /[\\/]\.{0,2}(?:[\\/]|$)/;

/**
 * The lockfile's names for sources: for a file its path relative to the lockfile's folder, with `/` on every
 * system (absolute when it is on another drive), for others the URL, `user:<uuid>`, `bytes:<pixel hash>`,
 * `value:<digest of value and signature>`, `skin:<uuid at the service>` or `bedrock:<XUID or gamertag>`.
 */
export class SourceIds {
  readonly #lockDir: string;
  readonly #path: Pick<typeof nodePath.posix, 'relative' | 'sep'>;
  /** The last file's folder, and what its files' paths have in common: most files are in the folder of the one before. */
  #last = { folder: '', prefix: '' };

  /** @param lockDir absolute path */
  constructor(lockDir: string, path: Pick<typeof nodePath.posix, 'relative' | 'sep'> = nodePath) {
    this.#lockDir = lockDir;
    this.#path = path;
  }

  /** @param pixels hash of the picture's pixels, if available */
  of(content: SourceContent, pixels: string | undefined): string {
    switch (content.kind) {
      case 'file':
        return this.ofPath(content.path);
      case 'url':
        return content.url;
      case 'user':
        return `user:${content.user}`;
      case 'bytes':
        return `bytes:${pixels}`;
      case 'data':
        return `value:${digestOf(content.given)}`;
      case 'uuid':
        return `skin:${content.uuid}`;
      case 'bedrock':
        return `bedrock:${content.player}`;
      case 'problem':
        throw new Error('An invalid source has no name in the lockfile.');
    }
  }

  /** A path as the lockfile writes it. @param file absolute */
  ofPath(file: string): string {
    return fileId(this.#relativePath(file), this.#path.sep);
  }

  /** `relative` is as slow as all other work on an unchanged file, so it is called once for each folder. */
  #relativePath(file: string): string {
    const { relative, sep } = this.#path;
    const folder = file.slice(0, file.lastIndexOf(sep));
    // A drive's name by itself stands for the current folder there.
    if (file === this.#lockDir || !folder.includes(sep) || NOT_PLAIN.test(file))
      return relative(this.#lockDir, file);
    if (this.#last.folder !== folder) {
      const way = relative(this.#lockDir, folder);
      this.#last = { folder, prefix: way === '' ? '' : `${way}${sep}` };
    }
    return `${this.#last.prefix}${file.slice(folder.length + 1)}`;
  }
}

function fileId(relative: string, sep: string): string {
  const id = sep === '/' ? relative : relative.replaceAll(sep, '/');
  return NOT_A_FILE.test(id) ? `./${id}` : id;
}

function digestOf({ value, signature = '' }: SuppliedSkin): string {
  return hash('sha256', `${value}\n${signature}`).slice(0, DIGEST_LENGTH);
}

/** The path of a source's file; undefined if it is not a file. */
export function sourcePath(source: string, lockDir: string): string | undefined {
  return NOT_A_FILE.test(source) ? undefined : nodePath.resolve(lockDir, source);
}

/** Whether a source is a file that does not exist any more; false if that cannot be determined. */
export function isGone(source: string, lockDir: string): boolean {
  const path = sourcePath(source, lockDir);
  if (path === undefined) return false;
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) return false;
    return !isBrokenLink(nearestAbove(path));
  } catch {
    return false;
  }
}

/** Whether two names lead to one file: another case or form of composed characters, where the file system ignores that. */
export function isSameFile(source: string, other: string, lockDir: string): boolean {
  const [path, otherPath] = [sourcePath(source, lockDir), sourcePath(other, lockDir)];
  if (path === undefined || otherPath === undefined) return false;
  const [found, otherFound] = [path, otherPath].map((one) => lstatSync(one, { throwIfNoEntry: false }));
  return found !== undefined && found.dev === otherFound?.dev && found.ino === otherFound.ino;
}

/** The folder above a file that exists, or a link in its place. */
function nearestAbove(path: string): string {
  let at = nodePath.dirname(path);
  while (!lstatSync(at, { throwIfNoEntry: false }) && at !== nodePath.dirname(at)) at = nodePath.dirname(at);
  return at;
}

/** Such as a link to a drive that is not mounted. */
function isBrokenLink(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}

type Nameable = Pick<BatchSource, 'name' | 'content' | 'stem'>;

/** The name of a source's skin, in any language: the one given for it, else that of its skin data or its file. */
export function sourceName({ name, content, stem }: Nameable): string {
  const given = content.kind === 'data' ? content.given.name : undefined;
  return shownName(name ?? given ?? stem.slice(stem.lastIndexOf('/') + 1)) || `n-${nameDigits(stem)}`;
}

/**
 * The same name as services take it, in ASCII: always the same for the same name. Undefined if nothing readable is left
 * of it.
 */
export function sentNameOf(source: Nameable): string | undefined {
  const name = sourceName(source);
  const letters = transliterated(name);
  const sent = skinNameFrom(letters);
  if (!hasForeignLetters(letters)) return sent;
  const mark = `-${nameDigits(name)}`;
  const start = sent?.slice(0, MAX_NAME_LENGTH - mark.length).replaceAll(/^[_ ]+|[_ ]+$/g, '');
  return `${start || 'n'}${mark}`;
}

const MAX_UNITS = 80;
const MAX_BYTES = 200;
const MAX_DEPTH = 32;
/** The number of the second source with a name. */
const SECOND = 2;

/**
 * Characters that some file system refuses: Windows' reserved characters, control characters, lone surrogates,
 * unassigned ones. Also characters that disguise a name: bidirectional marks, invisible separators.
 */
const UNSAFE = /[<>:"\\|?*]|\p{Cc}|\p{Cs}|\p{Cn}|\p{Bidi_Control}|\p{Zl}|\p{Zp}/gu;
/** Names that most files have: nothing in them needs a change. */
const PLAIN = /^\w[\w-]{0,79}$/;
const ASCII = /^[ -~]*$/;
/** Windows' device names, with any extension, and the lockfile in the same folder; for folded names. */
const RESERVED =
  /^(?:(?:CON|PRN|AUX|NUL|COM\d|LPT\d|CONIN\$|CONOUT\$|CLOCK\$)(?: *\.|$)|SKINS\.LOCK(?:\.|$))/;

/** Names that earlier batches gave, as the lockfile has them. */
export interface EarlierNames {
  /** Each name, and the entry of the source that has it. */
  all(): Iterable<readonly [name: string, entry: number]>;
  /** Whether a source keeps its names from others: it still exists, and is another one than `id`. */
  isKept(entry: number, id: string): boolean;
}

/**
 * Names of a batch's output files: safe for every file system, unique in the batch, and the same as in earlier batches.
 */
export class OutputNames {
  readonly #earlier: EarlierNames | undefined;
  /** Names taken in this batch, folded. */
  readonly #taken = new Set<string>();
  /** The entries that have names from earlier batches, by folded name; read when a name is wanted for the first time. */
  #owners: Map<string, number> | undefined;
  /** The next number to try for a name that several sources want. */
  readonly #numbers = new Map<string, number>();

  constructor(earlier?: EarlierNames) {
    this.#earlier = earlier;
  }

  /**
   * The path below the output folder for a source's output, `/` between segments, no extension: the name that the source
   * `id` has from earlier batches (`own`), else its stem, else that with a number if another source has it.
   */
  take(stem: string, { id = '', own: earlier = [] }: { id?: string; own?: readonly string[] } = {}): string {
    const name = safeName(stem);
    const own = earlier.find((one) => isNameFor(name, one));
    if (own !== undefined && this.#claim(own)) return own;
    if (this.#isFree(name, id) && this.#claim(name)) return name;
    const key = folded(name);
    for (let number = this.#numbers.get(key) ?? SECOND; ; number++) {
      const other = numbered(name, number);
      if (!this.#isFree(other, id) || !this.#claim(other)) continue;
      this.#numbers.set(key, number + 1);
      return other;
    }
  }

  #isFree(name: string, id: string): boolean {
    if (!this.#earlier) return true;
    this.#owners ??= new Map(Iterator.from(this.#earlier.all()).map(([one, entry]) => [folded(one), entry]));
    const owner = this.#owners.get(folded(name));
    return owner === undefined || !this.#earlier.isKept(owner, id);
  }

  #claim(path: string): boolean {
    const key = folded(path);
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }
}

/** A stem as a name that every file system takes. */
export function safeName(stem: string): string {
  return isPlain(stem) ? stem : safeSegments(stem).join('/');
}

/** Whether an earlier name is this one, or this one with a number. */
function isNameFor(name: string, earlier: string): boolean {
  const number = /-([1-9]\d{0,8})$/.exec(earlier)?.[1];
  const isSame = (one: string) => folded(one) === folded(earlier);
  return earlier === name || isSame(name) || (number !== undefined && isSame(numbered(name, Number(number))));
}

/** The name with a number at its end. */
function numbered(name: string, number: number): string {
  const at = name.lastIndexOf('/') + 1;
  const mark = `-${number}`;
  return `${name.slice(0, at)}${tidied(name.slice(at), MAX_UNITS - mark.length)}${mark}`;
}

/** Equal for names that some file system treats as the same. */
function folded(path: string): string {
  return ASCII.test(path) ? path.toUpperCase() : path.toLowerCase().toUpperCase().normalize('NFKC');
}

function safeSegments(stem: string): string[] {
  const found = stem.split('/').filter((segment) => segment !== '' && segment !== '.');
  const kept = found.length <= MAX_DEPTH ? found : [...found.slice(0, MAX_DEPTH - 1), found.at(-1)!];
  return kept.length === 0 ? ['_'] : kept.map(safeSegment);
}

function isPlain(segment: string): boolean {
  return PLAIN.test(segment) && !RESERVED.test(segment.toUpperCase());
}

function safeSegment(segment: string): string {
  if (isPlain(segment)) return segment;
  const cut = tidied(segment.normalize('NFC').replaceAll(UNSAFE, '_'), MAX_UNITS);
  // Other programs would read a name with a dash at its start as an option.
  return RESERVED.test(folded(cut)) || cut.startsWith('-') ? tidied(`_${cut}`, MAX_UNITS) : cut;
}

/** Cuts to `units` UTF-16 units and the byte limit of a segment; removes trailing dots and spaces, which Windows drops. */
function tidied(segment: string, units: number): string {
  const start = segment.replace(/^[. ]+/, '');
  const text = cutTo(start, units, MAX_BYTES - (MAX_UNITS - units)).replace(/[. ]+$/, '');
  return text === '' ? '_' : text;
}

function cutTo(text: string, units: number, bytes: number): string {
  let [end, used] = [0, 0];
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (end + character.length > units || used > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
