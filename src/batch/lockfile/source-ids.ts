import { hash } from 'node:crypto';
import nodePath, { type PlatformPath } from 'node:path';
import type { GivenSkin, SourceContent } from '../model/source.ts';

/** Names with a meaning other than a file. */
const NOT_A_FILE = /^(?:https?|user|bytes|value|skin):/i;
/** Hexadecimal digits. */
const DIGEST_LENGTH = 32;
/** Path segments that need resolving: empty, `.` and `..`. */
const NOT_PLAIN = /[\\/]\.{0,2}(?:[\\/]|$)/;

/**
 * The lockfile's name for a source: for a file its path relative to the lockfile's folder, with `/` on every
 * system (absolute when it is on another drive), for others the URL, `user:<uuid>`, `bytes:<pixel hash>`,
 * `value:<digest of value and signature>` or `skin:<uuid at the service>`.
 * @param lockDir absolute path
 * @param pixels hash of the picture's pixels, if available
 */
export function sourceId(
  content: SourceContent,
  lockDir: string,
  pixels: string | undefined,
  path: Pick<PlatformPath, 'relative' | 'sep'> = nodePath,
): string {
  switch (content.kind) {
    case 'file':
      return fileId(relativePath(lockDir, content.path, path), path.sep);
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

function digestOf({ value, signature = '' }: GivenSkin): string {
  return hash('sha256', `${value}\n${signature}`).slice(0, DIGEST_LENGTH);
}

/** The path of a source's file; undefined if it is not a file. */
export function sourcePath(source: string, lockDir: string): string | undefined {
  return NOT_A_FILE.test(source) ? undefined : nodePath.resolve(lockDir, source);
}

let last = { from: '', folder: '', prefix: '' };

/** `relative` is as slow as all other work on an unchanged file, and a folder's files have their prefix in common. */
function relativePath(
  from: string,
  to: string,
  { relative, sep }: Pick<PlatformPath, 'relative' | 'sep'>,
): string {
  const folder = to.slice(0, to.lastIndexOf(sep));
  // A drive's name by itself stands for the current folder there.
  if (to === from || !folder.includes(sep) || NOT_PLAIN.test(to)) return relative(from, to);
  if (last.from !== from || last.folder !== folder) {
    const way = relative(from, folder);
    last = { from, folder, prefix: way === '' ? '' : `${way}${sep}` };
  }
  return `${last.prefix}${to.slice(folder.length + 1)}`;
}

function fileId(relative: string, sep: string): string {
  const id = sep === '/' ? relative : relative.replaceAll(sep, '/');
  return NOT_A_FILE.test(id) ? `./${id}` : id;
}
