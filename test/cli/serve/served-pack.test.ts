import { hash } from 'node:crypto';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { ServedPack } from '../../../src/cli/serve/served-pack.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const META = '{"pack":{"description":"","min_format":69,"max_format":97}}';

function zipWith(text: string): Uint8Array {
  const files = { 'pack.mcmeta': Buffer.from(META), 'assets/a/b.txt': Buffer.from(text) };
  return zipSync(files, { mtime: '2026-01-01' });
}

/** Follows a pack; `next` resolves at its next change or fault. */
function follow(pack: ServedPack) {
  const ending = new AbortController();
  let wake: (event: string) => void = () => {};
  const done = pack.follow(ending.signal, {
    onChange: () => wake('changed'),
    onFault: async ({ message }) => wake(message),
  });
  onTestFinished(async () => {
    ending.abort();
    await done;
  });
  return async () => await new Promise<string>((resolve) => (wake = resolve));
}

describe('A zip', () => {
  test('is served as it is, by its SHA-1 only', async () => {
    const path = join(await ownFolder(), 'server.zip');
    await writeFile(path, zipWith('one'));
    const pack = await ServedPack.open(path, systemClock);
    expect(pack.sha1).toBe(hash('sha1', zipWith('one')));
    expect(pack.find(pack.sha1)).toEqual(Buffer.from(zipWith('one')));
    expect(pack.find(hash('sha1', 'other'))).toBeUndefined();
  });

  test('is loaded again when another takes its place, and the one before is still served', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'server.zip');
    await writeFile(path, zipWith('one'));
    const pack = await ServedPack.open(path, systemClock);
    const next = follow(pack);
    const change = next();
    await writeFile(join(folder, 'new'), zipWith('two'));
    await rename(join(folder, 'new'), path);
    expect(await change).toBe('changed');
    expect(pack.sha1).toBe(hash('sha1', zipWith('two')));
    expect(pack.find(hash('sha1', zipWith('one')))).toEqual(Buffer.from(zipWith('one')));
  });

  test('stays as it was while its file is none', async () => {
    const path = join(await ownFolder(), 'server.zip');
    await writeFile(path, zipWith('one'));
    const pack = await ServedPack.open(path, systemClock);
    const next = follow(pack);
    const fault = next();
    await writeFile(path, zipWith('two').subarray(0, 80));
    expect(await fault).toMatch(/server\.zip is not a zip archive, or its end is missing\./);
    expect(pack.sha1).toBe(hash('sha1', zipWith('one')));
    const change = next();
    await writeFile(path, zipWith('two'));
    expect(await change).toBe('changed');
  });

  test.each([
    ['is no zip', Buffer.from('text'), /is not a zip archive/],
    [
      'has no pack.mcmeta at its top',
      zipSync({ 'pack/pack.mcmeta': Buffer.from(META) }),
      /has no pack\.mcmeta/,
    ],
  ])('is refused if it %s', async (_why, bytes, message) => {
    const path = join(await ownFolder(), 'server.zip');
    await writeFile(path, bytes);
    await expect(ServedPack.open(path, systemClock)).rejects.toThrow(message);
  });

  test('is refused if it is not there', async () => {
    const path = join(await ownFolder(), 'server.zip');
    await expect(ServedPack.open(path, systemClock)).rejects.toThrow(/server\.zip cannot be read/);
  });
});

describe('A folder', () => {
  async function packFolder(): Promise<string> {
    const folder = join(await ownFolder(), 'pack');
    await mkdir(join(folder, 'assets/a'), { recursive: true });
    await writeFile(join(folder, 'pack.mcmeta'), META);
    await writeFile(join(folder, 'assets/a/b.json'), `[${'0,'.repeat(400)}0]`);
    return folder;
  }

  test('is packed to the same bytes each time, without hidden files and links', async () => {
    const folder = await packFolder();
    await mkdir(join(folder, '.git'));
    await writeFile(join(folder, '.git/config'), 'secret');
    await symlink('/etc/hostname', join(folder, 'assets/a/link.txt'));
    const [one, two] = [
      await ServedPack.open(folder, systemClock),
      await ServedPack.open(folder, systemClock),
    ];
    expect(two.sha1).toBe(one.sha1);
    const files = unzipSync(one.find(one.sha1)!);
    expect(Object.keys(files)).toEqual(['assets/a/b.json', 'pack.mcmeta']);
    expect(Buffer.from(files['assets/a/b.json']!)).toEqual(await readFile(join(folder, 'assets/a/b.json')));
  });

  test('is packed again when a file in it changes', async () => {
    const folder = await packFolder();
    const pack = await ServedPack.open(folder, systemClock);
    const before = pack.sha1;
    const next = follow(pack);
    const change = next();
    await writeFile(join(folder, 'assets/a/c.txt'), 'new');
    expect(await change).toBe('changed');
    expect(pack.sha1).not.toBe(before);
    expect(Object.keys(unzipSync(pack.find(pack.sha1)!))).toContain('assets/a/c.txt');
  });

  test('is refused without a pack.mcmeta', async () => {
    await expect(ServedPack.open(await ownFolder(), systemClock)).rejects.toThrow(/has no pack\.mcmeta/);
  });
});
