import { join } from 'node:path';
import { DigestCache, type FileStamp } from '../../../src/base/digest-cache.ts';
import { ownFolder } from '../server/own-folder.ts';

export const NOW = Date.UTC(2026, 0, 31, 12);
export const DAY = 24 * 60 * 60 * 1000;
export const FILE = '/skins/steve.png';
export const DIGEST = '0123456789abcdef'.repeat(4);
export const OTHER = 'f'.repeat(64);

/** The time of a file that has not changed for a while. */
export function stamp(changes: Partial<FileStamp> = {}): FileStamp {
  return {
    size: 1234,
    mtimeMs: NOW - 30 * DAY + 0.25,
    ctimeMs: NOW - 20 * DAY + 0.75,
    ino: 987_654_321,
    ...changes,
  };
}

export function openAt(path: string, time = NOW): DigestCache {
  return new DigestCache(path, time);
}

/** A cache file with one entry. */
export async function savedCache(time = NOW): Promise<string> {
  const path = join(await ownFolder(), 'files.tsv');
  const cache = openAt(path, time);
  cache.set(FILE, stamp(), DIGEST);
  cache.save();
  return path;
}
