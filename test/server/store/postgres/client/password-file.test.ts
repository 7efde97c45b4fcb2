import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPasswordFile } from '../../../../../src/server/store/postgres/client.ts';
import { foreignFile } from '../../../../support/base/foreign-file.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';

const ANN = { host: 'db.example', port: 5432, database: 'skins', user: 'ann' };

async function fileOf(text: string): Promise<string> {
  const path = join(await ownFolder(), 'pgpass');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

test.each([
  ['all fields', 'db.example:5432:skins:ann:geheim', 'geheim'],
  ['any field', '*:*:*:*:geheim', 'geheim'],
  ['the first line that matches', 'other:*:*:*:no\n*:*:*:ann:geheim\n*:*:*:*:later', 'geheim'],
  ['no comment', '#*:*:*:*:no\n\n*:*:*:*:geheim\r\n', 'geheim'],
  ['escaped colons and backslashes', String.raw`*:*:*:*:a\:b\\c\d`, String.raw`a:b\cd`],
  ['a password with colons', '*:*:*:*:a:b', 'a:b'],
  ['no line of another user', '*:*:*:bob:no', undefined],
  ['no line of another port', '*:5433:*:*:no', undefined],
  ['no part of a name', 'db:*:*:*:no\n*example:*:*:*:no', undefined],
  ['no incomplete line', '*:*:*:ann', undefined],
  ['no line without a password', '*:*:*:*:', undefined],
])('A password file is read as libpq does: %s', async (_, text, password) => {
  expect(await readPasswordFile(await fileOf(text), ANN)).toBe(password);
});

test('Names are compared without their escapes', async () => {
  const path = await fileOf(String.raw`\:\:1:*:a\\b:\ann:geheim`);
  expect(await readPasswordFile(path, { ...ANN, host: '::1', database: String.raw`a\b` })).toBe('geheim');
});

test('A missing file has no password', async () => {
  expect(await readPasswordFile(join(await ownFolder(), 'missing', 'pgpass'), ANN)).toBeUndefined();
});

test('A folder is no password file', async () => {
  const path = join(await ownFolder(), 'pgpass');
  await mkdir(path);
  await expect(readPasswordFile(path, ANN)).rejects.toThrow('not a plain file');
});

describe.runIf(process.platform !== 'win32')('On systems with modes of files', () => {
  test.each([0o640, 0o604, 0o620])('a password file that others may use is not read: %o', async (mode) => {
    const path = await fileOf('*:*:*:*:geheim');
    await chmod(path, mode);
    await expect(readPasswordFile(path, ANN)).rejects.toThrow(`chmod 600 ${path}`);
  });

  test("another owner's file is read, as for a mounted secret", async () => {
    const line = '*:*:*:*:geheim';
    const path = await foreignFile(line);
    const expected = (await readFile(path, 'utf8')) === line ? 'geheim' : undefined;
    expect(await readPasswordFile(path, ANN)).toBe(expected);
  });
});
