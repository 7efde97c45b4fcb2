import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
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
import { childProgram } from '../../support/program/child-program.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

/** Adds `/0` and so on to a cache's file, as if they had been stored one by one, which takes ten times as long. */
function rememberMore(path: string, count: number): void {
  const cache = openAt(path);
  cache.set('/0', stamp(), OTHER);
  cache.save();
  const [, rest] = /^\["\/0"(.*\n)/m.exec(readFileSync(path, 'latin1'))!;
  appendFileSync(path, Array.from({ length: count - 1 }, (_, n) => `["/${n + 1}"${rest}`).join(''));
}

describe('Saving', () => {
  test('writes nothing when nothing has changed', async () => {
    const path = await savedCache();
    const { ino, mtimeMs } = statSync(path);
    const cache = openAt(path, NOW + DAY);
    expect(cache.get(FILE, stamp())).toBe(DIGEST);
    cache.save();
    expect(statSync(path)).toMatchObject({ ino, mtimeMs });
  });

  test('writes once, however often it is called', async () => {
    const path = await savedCache();
    const cache = openAt(path);
    cache.set(FILE, stamp(), OTHER);
    cache.save();
    const { ino } = statSync(path);
    cache.save();
    expect(statSync(path).ino).toBe(ino);
  });

  test('keeps files that this run did not see, for 90 days', async () => {
    const path = await savedCache();
    for (const [days, expected] of [
      [89, DIGEST],
      [91, undefined],
    ] as const) {
      const cache = openAt(path, NOW + days * DAY);
      cache.set('/skins/other.png', stamp(), OTHER);
      cache.save();
      expect(openAt(path, NOW + days * DAY).get(FILE, stamp())).toBe(expected);
    }
  });

  test.each([
    ['here and there', (n: number) => n % 2 === 0],
    ['at the end', (n: number) => n < 150],
  ])('continues with what is left when files were forgotten %s', async (_, isSeen) => {
    const path = join(await ownFolder(), 'files.tsv');
    const files = Array.from({ length: 300 }, (_, n) => `/skins/${n}.png`);
    const before = openAt(path);
    for (const file of files) before.set(file, stamp(), OTHER);
    before.save();
    const cache = openAt(path, NOW + 100 * DAY);
    const [seen, unseen] = [files.filter((_, n) => isSeen(n)), files.filter((_, n) => !isSeen(n))];
    for (const file of seen) cache.set(file, stamp(), DIGEST);
    cache.save();
    for (const file of unseen) expect(cache.get(file, stamp())).toBeUndefined();
    for (const file of unseen) cache.set(file, stamp(), DIGEST);
    cache.save();
    for (const open of [cache, openAt(path, NOW + 100 * DAY)]) {
      for (const file of files) expect(open.get(file, stamp())).toBe(DIGEST);
    }
  });

  test('notes now and then that a file is still in use, so that it is never forgotten', async () => {
    const path = await savedCache();
    for (let days = 0; days <= 400; days += 20) {
      const cache = openAt(path, NOW + days * DAY);
      expect(cache.get(FILE, stamp())).toBe(DIGEST);
      cache.save();
    }
    const cache = openAt(path, NOW + 410 * DAY);
    cache.set('/skins/other.png', stamp(), OTHER);
    cache.save();
    expect(openAt(path, NOW + 410 * DAY).get(FILE, stamp())).toBe(DIGEST);
  });

  // It takes seconds, and the limit seldom changes.
  if (isWhole)
    test('forgets what was not seen today when half a million files are known', async () => {
      const path = await savedCache(NOW - 2 * DAY);
      rememberMore(path, 499_999);
      const cache = openAt(path);
      for (const file of ['/499999', '/500000']) cache.set(file, stamp(), OTHER);
      cache.save();
      const saved = readFileSync(path, 'latin1');
      const has = (file: string) => saved.includes(`["${file}",`);
      expect(['/0', '/499998', '/499999'].map(has)).toEqual([true, true, true]);
      expect([FILE, '/500000'].map(has)).toEqual([false, false]);
    });

  test('by two processes at once leaves the complete file of one of them', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const run = (name: string) => execa(process.execPath, [childProgram('save-digests'), path, name]);
    await Promise.all([run('a'), run('b')]);
    const cache = openAt(path, Date.now());
    const old = stamp({ mtimeMs: 1000, ctimeMs: 1000 });
    const known = ['a', 'b'].map((name) => cache.get(`/${name}/99`, old) !== undefined);
    expect(known).toContain(true);
    expect(readFileSync(path, 'utf8')).toMatch(/\n$/);
    expect(readdirSync(join(path, '..'))).toEqual(['files.tsv']);
  });
});
