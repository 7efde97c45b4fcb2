import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isOpenToOthers, makeSecretFile, readSecretFile } from '../../../src/base/secret-files.ts';
import { foreignFile } from '../../support/base/foreign-file.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function fileOf(mode: number): Promise<string> {
  const path = join(await ownFolder(), 'key');
  await writeFile(path, 'geheim');
  await chmod(path, mode);
  return path;
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

test.each([
  [0o644, '600'],
  [0o640, '600'],
  [0o600, '600'],
  [0o400, '400'],
])('An own file with mode %o is read, and then has %s', async (mode, then) => {
  const path = await fileOf(mode);
  expect(await readSecretFile(path)).toBe('geheim');
  expect([await modeOf(path), await isOpenToOthers(path)]).toEqual([then, false]);
});

test('A secret file whose mode cannot be changed is read as it is, and stays open to others', async () => {
  // The system refuses to change any mode here, whoever asks, as with a file system that is mounted read-only.
  const path = '/proc/self/comm';
  await expect(chmod(path, 0o600)).rejects.toMatchObject({ code: 'EPERM' });
  expect(await readSecretFile(path)).toMatch(/^\S.*\n$/);
  expect(await isOpenToOthers(path)).toBe(true);
});

test("Another user's file is read, and stays as it is", async () => {
  const path = await foreignFile('geheim');
  const before = await modeOf(path);
  expect(await readSecretFile(path)).not.toBe('');
  expect([await modeOf(path), await isOpenToOthers(path)]).toEqual([before, true]);
});

test('A missing file contains nothing', async () => {
  const path = await fileOf(0o600);
  await rm(path);
  expect(await readSecretFile(path)).toBeUndefined();
});

test('A folder in place of a secret file is named in the error', async () => {
  const path = await ownFolder();
  await expect(readSecretFile(path)).rejects.toMatchObject({ code: 'EISDIR', path });
});

test('A secret is made only once even where the file system has no hard links', async () => {
  const noLinks = async () => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  };
  const path = join(await ownFolder(), 'key');
  expect(await makeSecretFile(path, 'first', noLinks)).toBe('first');
  expect(await makeSecretFile(path, 'second', noLinks)).toBe('first');
  expect([await modeOf(path), await readdir(dirname(path))]).toEqual(['600', ['key']]);
});
