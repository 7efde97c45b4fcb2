import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileStamp } from '../../../src/base/digest-cache.ts';
import {
  DAY,
  DIGEST,
  FILE,
  NOW,
  OTHER,
  openAt,
  savedCache,
  stamp,
} from '../../support/base/digest-caches.ts';
import { anyCharacter } from '../../support/fuzz/any-character.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

describe('DigestCache', () => {
  test('knows a digest in the same run and in the next one', async () => {
    const path = join(await ownFolder(), 'state', 'files.tsv');
    const cache = openAt(path);
    expect(cache.get(FILE, stamp())).toBeUndefined();
    cache.set(FILE, stamp(), DIGEST);
    expect(cache.get(FILE, stamp())).toBe(DIGEST);
    cache.save();
    expect(openAt(path).get(FILE, stamp())).toBe(DIGEST);
  });

  const changes: [what: string, change: Partial<FileStamp>][] = [
    ['size', { size: 1235 }],
    ['time of change, by a microsecond', { mtimeMs: NOW - 30 * DAY + 0.251 }],
    ['time of change, by years', { mtimeMs: NOW - 1000 * DAY + 0.25 }],
    ['inode change time', { ctimeMs: NOW - 20 * DAY + 1.75 }],
    ['inode', { ino: 987_654_322 }],
    ['inode, in its upper half', { ino: 987_654_321 + 2 ** 40 }],
  ];
  test.each(changes)('does not know a file with another %s', async (_, change) => {
    const cache = openAt(await savedCache());
    expect(cache.get(FILE, stamp(change))).toBeUndefined();
    expect(cache.get(FILE, stamp())).toBe(DIGEST);
  });

  test('identifies a file by its whole path', async () => {
    const cache = openAt(await savedCache());
    for (const path of ['/skins/steve.pn', '/skins/steve.png2', '/Skins/steve.png', '']) {
      expect(cache.get(path, stamp())).toBeUndefined();
    }
  });

  test('replaces an earlier digest', async () => {
    const path = await savedCache();
    const cache = openAt(path);
    cache.set(FILE, stamp({ size: 9 }), OTHER);
    cache.save();
    const next = openAt(path);
    expect(next.get(FILE, stamp())).toBeUndefined();
    expect(next.get(FILE, stamp({ size: 9 }))).toBe(OTHER);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
  });

  test('takes nothing but digests', async () => {
    const cache = openAt(join(await ownFolder(), 'files.tsv'));
    expect(() => cache.set(FILE, stamp(), 'steve')).toThrow(TypeError);
  });

  test('keeps any path and any stamp apart from any other', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const oldTime = fc.integer({ min: 0, max: NOW - 2001 });
    const stamps = fc.record({
      size: fc.maxSafeNat(),
      mtimeMs: oldTime,
      ctimeMs: oldTime,
      ino: fc.maxSafeNat(),
    });
    const digests = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex'));
    const files = fc.uniqueArray(fc.tuple(fc.string({ unit: anyCharacter }), stamps, digests), {
      selector: ([file]) => file,
    });
    fc.assert(
      fc.property(files, (entries) => {
        const cache = openAt(path);
        for (const [file, its, digest] of entries) cache.set(file, its, digest);
        cache.save();
        const next = openAt(path);
        for (const [file, its, digest] of entries) expect(next.get(file, its)).toBe(digest);
      }),
      { numRuns: 100, seed: 20_251_121 },
    );
  });

  test('grows with what it is given', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const cache = openAt(path);
    const digestOf = (n: number) => n.toString(16).padStart(64, '0');
    for (let n = 0; n < 20_000; n++) cache.set(`/skins/${n}.png`, stamp({ ino: n }), digestOf(n));
    cache.save();
    const next = openAt(path);
    for (let n = 0; n < 20_000; n++) {
      if (next.get(`/skins/${n}.png`, stamp({ ino: n })) !== digestOf(n)) throw new Error(`${n} is lost`);
    }
  });

  test('does not store a path that is invalid on every system', async () => {
    const cache = openAt(await savedCache());
    const files = Array.from({ length: 500 }, (_, n) => `/skins/${n}.png`);
    for (const file of files) cache.set(file, stamp(), DIGEST);
    const long = `/${'x'.repeat(5000)}`;
    cache.set(long, stamp({ size: 1 }), OTHER);
    expect(cache.get(long, stamp({ size: 1 }))).toBeUndefined();
    for (const file of files) expect(cache.get(file, stamp())).toBe(DIGEST);
  });
});

test.skipIf(process.platform === 'win32')('What is remembered is for the owner only', async () => {
  const path = join(await ownFolder(), 'data', 'files.tsv');
  const cache = openAt(path);
  cache.set(FILE, stamp(), DIGEST);
  cache.save();
  const modes = [join(path, '..'), path].map((one) => statSync(one).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

test('Digests that cannot be written are computed again by the next run', async () => {
  const path = join(await ownFolder(), 'folder');
  mkdirSync(path);
  const cache = openAt(path);
  cache.set(FILE, stamp(), DIGEST);
  cache.save();
  expect(readdirSync(join(path, '..'))).toEqual(['folder']);
  expect(openAt(path).get(FILE, stamp())).toBeUndefined();
});

describe('A file whose stamp says nothing', () => {
  const doubtful: [what: string, change: Partial<FileStamp>][] = [
    ['was written just now', { mtimeMs: NOW - 1000 }],
    ['was put in place just now', { ctimeMs: NOW - 1000 }],
    ['was written while the batch ran', { mtimeMs: NOW + 500 }],
    ['is from the future', { mtimeMs: NOW + 300 * DAY }],
  ];
  test.each(doubtful)('is not remembered when it %s', async (_, change) => {
    const path = join(await ownFolder(), 'files.tsv');
    const cache = openAt(path);
    cache.set(FILE, stamp(change), DIGEST);
    cache.save();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    expect(openAt(path, NOW + 1000 * DAY).get(FILE, stamp(change))).toBeUndefined();
  });

  test('is remembered by the next run', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const fresh = stamp({ mtimeMs: NOW - 1000, ctimeMs: NOW - 1000 });
    const cache = openAt(path, NOW + 1001);
    cache.set(FILE, fresh, DIGEST);
    expect(cache.get(FILE, fresh)).toBe(DIGEST);
  });

  test('is not recalled when the clock has jumped back behind its times', async () => {
    const path = await savedCache();
    expect(openAt(path, NOW - 25 * DAY).get(FILE, stamp())).toBeUndefined();
    expect(openAt(path, NOW).get(FILE, stamp())).toBe(DIGEST);
  });
});
