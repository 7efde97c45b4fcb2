import { hash } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
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

/** Serves a pack, with copies in a folder of its own. */
async function serve(path: string, folder?: string): Promise<ServedPack> {
  return await ServedPack.open({ path, folder: folder ?? (await ownFolder()), clock: systemClock });
}

async function bytesOf(pack: ServedPack, sha1 = pack.sha1): Promise<Buffer | undefined> {
  const found = await pack.find(sha1);
  const bytes = found && (await readFile(found.path));
  expect(bytes?.length).toBe(found?.size);
  return bytes;
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
    const pack = await serve(path);
    expect(pack.sha1).toBe(hash('sha1', zipWith('one')));
    expect(await bytesOf(pack)).toEqual(Buffer.from(zipWith('one')));
    expect(await bytesOf(pack, hash('sha1', 'other'))).toBeUndefined();
  });

  test('is loaded again when it is replaced, and the earlier one is still served', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'server.zip');
    await writeFile(path, zipWith('one'));
    const pack = await serve(path);
    const next = follow(pack);
    const change = next();
    await writeFile(join(folder, 'new'), zipWith('two'));
    await rename(join(folder, 'new'), path);
    expect(await change).toBe('changed');
    expect(pack.sha1).toBe(hash('sha1', zipWith('two')));
    expect(await bytesOf(pack, hash('sha1', zipWith('one')))).toEqual(Buffer.from(zipWith('one')));
  });

  test('is loaded again when it was replaced before anyone followed it', async () => {
    const path = join(await ownFolder(), 'server.zip');
    await writeFile(path, zipWith('one'));
    const pack = await serve(path);
    await writeFile(path, zipWith('two'));
    expect(await follow(pack)()).toBe('changed');
    expect(pack.sha1).toBe(hash('sha1', zipWith('two')));
  });

  test('stays as it was while its file is not a pack', async () => {
    const path = join(await ownFolder(), 'server.zip');
    await writeFile(path, zipWith('one'));
    const pack = await serve(path);
    const next = follow(pack);
    const fault = next();
    await writeFile(path, zipWith('two').subarray(0, 80));
    expect(await fault).toMatch(/server\.zip is not a zip archive, or its end is missing\./);
    expect(pack.sha1).toBe(hash('sha1', zipWith('one')));
    const change = next();
    await writeFile(path, zipWith('two'));
    expect(await change).toBe('changed');
  });

  test('stays at its address until five newer packs, even after restarts', async () => {
    const [place, copies] = [await ownFolder(), await ownFolder()];
    const path = join(place, 'server.zip');
    const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
    for (const [at, text] of texts.entries()) {
      await writeFile(path, zipWith(text));
      const { sha1 } = await serve(path, copies);
      await utimes(join(copies, `${sha1}.zip`), at, at);
    }
    const pack = await serve(path, copies);
    const found = await Promise.all(
      texts.map(async (text) => await bytesOf(pack, hash('sha1', zipWith(text)))),
    );
    expect(found).toEqual([undefined, ...texts.slice(1).map((text) => Buffer.from(zipWith(text)))]);
    expect(await readdir(copies)).toHaveLength(5);
  });

  test('is served even if it is protected so that only Minecraft can read it', async () => {
    const path = join(await ownFolder(), 'server.zip');
    const bytes = Buffer.from(zipWith('one'));
    bytes.writeUInt16LE(1, bytes.indexOf('PK\x01\x02') + 8); // says that it is encrypted
    await writeFile(path, bytes);
    expect(await bytesOf(await serve(path))).toEqual(bytes);
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
    await expect(serve(path)).rejects.toThrow(message);
  });

  test('is refused if it does not exist', async () => {
    const path = join(await ownFolder(), 'server.zip');
    await expect(serve(path)).rejects.toThrow(/server\.zip cannot be read/);
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
    const [one, two] = [await serve(folder), await serve(folder)];
    expect(two.sha1).toBe(one.sha1);
    const files = unzipSync((await bytesOf(one))!);
    expect(Object.keys(files)).toEqual(['assets/a/b.json', 'pack.mcmeta']);
    expect(Buffer.from(files['assets/a/b.json']!)).toEqual(await readFile(join(folder, 'assets/a/b.json')));
  });

  test('is packed again when a file in it changes', async () => {
    const folder = await packFolder();
    const pack = await serve(folder);
    const before = pack.sha1;
    const next = follow(pack);
    const change = next();
    await writeFile(join(folder, 'assets/a/c.txt'), 'new');
    expect(await change).toBe('changed');
    expect(pack.sha1).not.toBe(before);
    expect(Object.keys(unzipSync((await bytesOf(pack))!))).toContain('assets/a/c.txt');
  });

  test('is refused without a pack.mcmeta', async () => {
    await expect(serve(await ownFolder())).rejects.toThrow(/has no pack\.mcmeta/);
  });
});

test('A pack that changes while it is read is served only when it is whole', async () => {
  const path = join(await ownFolder(), 'server.zip');
  await writeFile(path, zipWith('one'));
  const pack = await serve(path);
  const { readFile: read } = fs.promises;
  let reads = 0;
  const reading = async (...args: Parameters<typeof read>) => {
    const bytes = await read(...args);
    if (args[0] === path && ++reads === 1) await writeFile(path, zipWith('three'));
    return bytes;
  };
  onTestFinished(() => {
    fs.promises.readFile = read;
    syncBuiltinESMExports();
  });
  fs.promises.readFile = reading as typeof read;
  syncBuiltinESMExports();
  const change = follow(pack)();
  await writeFile(path, zipWith('two'));
  expect(await change).toBe('changed');
  expect(pack.sha1).toBe(hash('sha1', zipWith('three')));
  expect(reads).toBeGreaterThan(1);
});

test('A copy that cannot be stored leaves no file behind', async () => {
  const [path, folder] = [join(await ownFolder(), 'server.zip'), await ownFolder()];
  await writeFile(path, zipWith('one'));
  const inTheWay = `${hash('sha1', zipWith('one'))}.zip`;
  await mkdir(join(folder, inTheWay, 'x'), { recursive: true });
  await expect(serve(path, folder)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(await readdir(folder)).toEqual([inTheWay]);
});
