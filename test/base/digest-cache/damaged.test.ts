import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DIGEST, FILE, OTHER, openAt, savedCache, stamp } from '../../support/base/digest-caches.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

describe('A damaged cache', () => {
  test('is empty if its file does not exist', async () => {
    expect(openAt(join(await ownFolder(), 'none', 'files.tsv')).get(FILE, stamp())).toBeUndefined();
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['someone else’s', Buffer.from('{"what":"ever"}\n')],
    ['of an earlier version', Buffer.from('skinsmith file memory 2\n"/a"\n')],
    ['zeros, as a power cut leaves them', Buffer.alloc(4096)],
    ['nothing but half a line', Buffer.from('["/a",12')],
  ])('that is %s is empty and works', async (_, bytes) => {
    const path = join(await ownFolder(), 'files.tsv');
    writeFileSync(path, bytes);
    const cache = openAt(path);
    expect(cache.get(FILE, stamp())).toBeUndefined();
    cache.set(FILE, stamp(), DIGEST);
    cache.save();
    expect(openAt(path).get(FILE, stamp())).toBe(DIGEST);
  });

  test('that is a folder is empty, and is computed again by the next run', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'files.tsv');
    mkdirSync(join(path, 'below'), { recursive: true });
    const cache = openAt(path);
    cache.set(FILE, stamp(), DIGEST);
    cache.save();
    expect(readdirSync(folder)).toEqual(['files.tsv']);
    expect(openAt(path).get(FILE, stamp())).toBeUndefined();
  });

  test('is used up to the torn line, wherever that is', async () => {
    const path = await savedCache();
    const whole = readFileSync(path);
    for (let size = whole.length - 1; size >= 0; size--) {
      truncateSync(path, size);
      expect(openAt(path).get(FILE, stamp())).toBeUndefined();
    }
    writeFileSync(path, whole);
    appendFileSync(path, '["/skins/torn.png",0123');
    const cache = openAt(path);
    expect(cache.get(FILE, stamp())).toBe(DIGEST);
    cache.set('/skins/more.png', stamp(), OTHER);
    cache.save();
    expect(openAt(path).get('/skins/more.png', stamp())).toBe(OTHER);
    expect(readFileSync(path, 'utf8')).not.toContain('torn');
  });

  test('loses its damaged lines, and no others, when it is saved', async () => {
    const path = await savedCache();
    const [line] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `\n"\nnonsense ${'x'.repeat(100)}\n${line}\n${line?.slice(1)}\n`);
    const cache = openAt(path);
    cache.set('/skins/more.png', stamp(), OTHER);
    cache.save();
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([line, expect.stringContaining('more'), '']);
  });

  test('never returns an invalid digest, whichever byte is damaged', async () => {
    const path = await savedCache();
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      for (const byte of [0, 0x0a, 0x09, 0x21]) {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        writeFileSync(path, bytes);
        expect([DIGEST, undefined]).toContain(openAt(path).get(FILE, stamp()));
      }
    }
  });
});
