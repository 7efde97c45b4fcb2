import { statSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { makeFolder, missingFolders } from '../../../src/base/files.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const MODULE = join(import.meta.dirname, '../../../src/base/files.ts');

test('Missing folders are created, and existing ones stay as they are', async () => {
  const path = join(await ownFolder(), 'a/b/c');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test.each(['0000', '0022', '0777'])('The mode is the requested one with a umask of %s', async (umask) => {
  const path = join(await ownFolder(), 'a');
  const script = `process.umask(0o${umask}); const { makeFolder } = await import(${JSON.stringify(MODULE)}); makeFolder(${JSON.stringify(join(path, 'b'))}, 0o700);`;
  await execa(process.execPath, ['--input-type=module', '-e', script]);
  for (const folder of [path, join(path, 'b')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('A folder that cannot be made is an error at once', () => {
  expect(() => makeFolder('/proc/x')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  expect(() => makeFolder('/proc/x/y')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('The search for the folders of a missing drive ends', () => {
  const nothing = () => false;
  expect(missingFolders('Z:\\a\\b', nothing, win32)).toEqual(['Z:\\', 'Z:\\a', 'Z:\\a\\b']);
  expect(missingFolders('/a/b', (path) => path === '/', posix)).toEqual(['/a', '/a/b']);
});

test('The error names what is in the way', async () => {
  const folder = await ownFolder();
  await writeFile(join(folder, 'file'), '');
  await symlink('nowhere', join(folder, 'link'));
  expect(() => makeFolder(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(() => makeFolder(join(folder, 'file/below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  expect(() => makeFolder(join(folder, 'link'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
});
