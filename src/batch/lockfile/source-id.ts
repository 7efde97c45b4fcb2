import nodePath, { type PlatformPath } from 'node:path';
import type { SourceContent } from '../types.ts';

/** Names that mean something else than a file. */
const NOT_A_FILE = /^(?:https?|user|bytes):/i;
/** Parts of a path that do not stand for themselves: empty, `.` and `..`. */
const NOT_PLAIN = /[\\/]\.{0,2}(?:[\\/]|$)/;

/**
 * What the lockfile calls a source: for a file its path from the lockfile's own folder, with `/` on every
 * system (absolute when it is on another drive), for others the URL, `user:<uuid>` or `bytes:<pixel hash>`.
 * @param lockDir absolute path
 * @param pixels hash of the picture's pixels, where it is at hand
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
    case 'problem':
      throw new Error('A source that cannot be used has no place in the lockfile.');
  }
}

/** Where a source's file is; undefined when it is none. */
export function sourcePath(source: string, lockDir: string): string | undefined {
  return NOT_A_FILE.test(source) ? undefined : nodePath.resolve(lockDir, source);
}

/** `relative`, which takes as long as all else that is done for an unchanged file, is left to the odd cases. */
function relativePath(
  from: string,
  to: string,
  { relative, sep }: Pick<PlatformPath, 'relative' | 'sep'>,
): string {
  const isBelow = to.startsWith(from) && to.startsWith(sep, from.length) && !NOT_PLAIN.test(to);
  return isBelow ? to.slice(from.length + 1) : relative(from, to);
}

function fileId(relative: string, sep: string): string {
  const id = sep === '/' ? relative : relative.replaceAll(sep, '/');
  return NOT_A_FILE.test(id) ? `./${id}` : id;
}
