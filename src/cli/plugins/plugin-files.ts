import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import {
  type BigIntStats,
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { type Leftovers, writeFileAtomically } from '../../base/files.ts';
import { parsedJson } from '../../base/text.ts';
import { CliError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';
import { EditError } from './yaml-edits.ts';

/** Bytes of the largest file that is changed. */
const LARGEST = 32 * 1024 * 1024;
/** Digits of its content in the name of a copy. */
const COPY_DIGITS = 8;

/** A file of a plugin: as it was when it was read, and what it is to be. A file that is not there has an empty text. */
export class PluginFile {
  /** As it is called in messages. */
  readonly name: string;
  /** Absent: it is not there. */
  readonly #stats: BigIntStats | undefined;
  readonly #bytes: Buffer;
  readonly text: string;
  /** What it is to be. */
  wanted: string;

  /** @throws EditError for a file that is not read as text */
  constructor(name: string) {
    this.name = name;
    this.#stats = statSync(name, { bigint: true, throwIfNoEntry: false });
    if (this.#stats && !this.#stats.isFile()) throw new EditError(`${name} is not a file`);
    if (this.#stats && this.#stats.size > LARGEST)
      throw new EditError(`${name} has more than ${LARGEST} bytes`);
    this.#bytes = this.#stats ? readFileSync(name) : Buffer.alloc(0);
    if (!isUtf8(this.#bytes)) throw new EditError(`${name} is not in UTF-8`);
    this.text = this.#bytes.toString('utf8');
    this.wanted = this.text;
  }

  get isNew(): boolean {
    return this.#stats === undefined;
  }

  get hasChanged(): boolean {
    return this.wanted !== this.text;
  }

  /** @throws CliError if someone else has changed it since it was read */
  verifyUnchanged(): void {
    const now = statSync(this.name, { bigint: true, throwIfNoEntry: false });
    if (now === undefined ? this.isNew : identityOf(now) === identityOf(this.#stats)) return;
    throw new CliError(
      'file_changed',
      `${clean(this.name)} changed in the meantime, so it was left as it is.`,
      {
        hint: 'Run the same command again. A server that runs writes its files itself: stop it first.',
      },
    );
  }

  /**
   * Writes it by a rename, and removes what killed runs left of it. Returns the copy of the file as it was.
   * @throws CliError, Error of the file system
   */
  write(leftovers: Leftovers): string | undefined {
    this.verifyUnchanged();
    if (!this.#stats) {
      leftovers.remove(resolve(this.name));
      writeFileAtomically(this.name, this.wanted);
      return undefined;
    }
    const path = realpathSync(this.name); // a rename would replace a link by a file
    leftovers.remove(path);
    const copy = this.#keepCopy(path);
    writeFileAtomically(path, this.wanted, { durable: true });
    keepOwner(path, this.#stats);
    return copy;
  }

  /** Beside it, under a name that follows from its bytes, so that it replaces nothing. Plugins read no file that is called so. */
  #keepCopy(path: string): string {
    const copy = `${path}.${hash('sha1', this.#bytes).slice(0, COPY_DIGITS)}.bak`;
    if (statSync(copy, { throwIfNoEntry: false })) return copy;
    try {
      linkSync(path, copy);
    } catch {
      copyFileSync(path, copy); // the file system has no links
    }
    return copy;
  }
}

function identityOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

/** The server must be able to write the file again, whoever ran this. */
function keepOwner(path: string, { mode, uid, gid }: BigIntStats): void {
  chmodSync(path, Number(mode) & 0o7777);
  if (process.getuid?.() === 0) chownSync(path, Number(uid), Number(gid));
}

/** The string literals of a text in JSON. */
const LITERAL = /"(?:[^"\\]|\\.)*"/g;

/** A text in JSON with other strings in place of some, each of which is there once. @throws EditError */
export function withStrings(text: string, strings: ReadonlyMap<string, string>, name: string): string {
  const seen = new Map<string, number>();
  const changed = text.replace(LITERAL, (literal) => {
    const before = JSON.parse(literal) as string;
    const after = strings.get(before);
    if (after === undefined) return literal;
    seen.set(before, (seen.get(before) ?? 0) + 1);
    return after === before ? literal : JSON.stringify(after);
  });
  for (const before of strings.keys())
    if (seen.get(before) !== 1) throw new EditError(`${name} contains something besides one skin`);
  return changed;
}

/** A file with an object in JSON that has a text under each name: some of them change, others are new. */
export class TextsByName {
  readonly #file: PluginFile;
  readonly #texts = new Map<string, string>();

  /** @throws EditError if there is something else in it */
  constructor(file: PluginFile) {
    this.#file = file;
    const json = file.text.trim() === '' ? {} : parsedJson(file.text);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    if (!isObject || Object.values(json).some((text) => typeof text !== 'string'))
      throw new EditError(`${file.name} contains something besides skins`);
  }

  has(name: string): boolean {
    return this.#texts.has(name);
  }

  set(name: string, text: string): void {
    this.#texts.set(name, text);
  }

  apply(): void {
    const fresh = new Map(this.#texts);
    let name: string | undefined;
    const text = (this.#file.text.trim() === '' ? '{}' : this.#file.text).replace(LITERAL, (literal) => {
      const read = JSON.parse(literal) as string;
      if (name === undefined) {
        name = read;
        return literal;
      }
      const wanted = this.#texts.get(name);
      fresh.delete(name);
      name = undefined;
      return wanted === undefined || wanted === read ? literal : JSON.stringify(wanted);
    });
    const end = text.lastIndexOf('}');
    const start = text.slice(0, end).trimEnd();
    const added = Array.from(fresh, ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const comma = start.endsWith('{') || added.length === 0 ? '' : ',';
    this.#file.wanted = `${start}${comma}${added.join(',')}${text.slice(start.length)}`;
  }
}
