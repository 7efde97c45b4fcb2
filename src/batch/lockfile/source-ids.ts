import { hash } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import nodePath, { type PlatformPath } from 'node:path';
import type { SourceContent, SuppliedSkin } from '../model/source.ts';

/** Names with a meaning other than a file. */
const NOT_A_FILE = /^(?:https?|user|bytes|value|skin):/i;
/** Hexadecimal digits. */
const DIGEST_LENGTH = 32;
/** Path segments that need resolving: empty, `.` and `..`. */
const NOT_PLAIN = /[\\/]\.{0,2}(?:[\\/]|$)/;

/**
 * The lockfile's names for sources: for a file its path relative to the lockfile's folder, with `/` on every
 * system (absolute when it is on another drive), for others the URL, `user:<uuid>`, `bytes:<pixel hash>`,
 * `value:<digest of value and signature>` or `skin:<uuid at the service>`.
 */
export class SourceIds {
  readonly #lockDir: string;
  readonly #path: Pick<PlatformPath, 'relative' | 'sep'>;
  /** The last file's folder, and what its files' paths have in common: most files are in the folder of the one before. */
  #last = { folder: '', prefix: '' };

  /** @param lockDir absolute path */
  constructor(lockDir: string, path: Pick<PlatformPath, 'relative' | 'sep'> = nodePath) {
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

/** Whether a source is a file that does not exist any more; false where that cannot be told. */
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
