import { symlinkSync, writeFileSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SourceContent } from '../../../src/batch/model.ts';
import { isGone, SourceIds, sourcePath } from '../../../src/batch/names.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const PLAYER = '61699b2ed3274a019f1e0ea8c3f06bc6';

function fileId(path: string, lockDir = '/project/out'): string {
  return new SourceIds(lockDir).of({ kind: 'file', path }, undefined);
}

describe('The name of a source in the lockfile', () => {
  const ids = new SourceIds('/');

  test.each([
    ['/project/out/steve.png', 'steve.png'],
    ['/project/out/skins/alex.png', 'skins/alex.png'],
    ['/project/skins/alex.png', '../skins/alex.png'],
    ['/project/output/alex.png', '../output/alex.png'],
    ['/project/out/./a/../b.png', 'b.png'],
    ['/project/out//c.png', 'c.png'],
    ['/project/out/a\\b.png', 'a\\b.png'],
    ['/project/out/.hidden/..d.png', '.hidden/..d.png'],
    ['/project/out', ''],
  ])('is the path from the lockfile: %s', (path, id) => {
    expect(fileId(path)).toBe(id);
  });

  test('is the path from the root when the lockfile is in the root', () => {
    expect(fileId('/skins/a.png', '/')).toBe('skins/a.png');
  });

  test.each([
    ['C:\\project\\out\\skins\\alex.png', 'skins/alex.png'],
    ['c:\\Project\\skins\\alex.png', '../skins/alex.png'],
    ['D:\\skins\\alex.png', 'D:/skins/alex.png'],
    ['C:\\project\\out\\a/../b.png', 'b.png'],
  ])('has the same separators on Windows: %s', (path, id) => {
    expect(new SourceIds('C:\\project\\out', win32).of({ kind: 'file', path }, undefined)).toBe(id);
  });

  test('is the link, the player, or the pixels', () => {
    expect(ids.of({ kind: 'url', url: 'https://a.example/s.png' }, undefined)).toBe(
      'https://a.example/s.png',
    );
    expect(ids.of({ kind: 'user', user: PLAYER }, undefined)).toBe(`user:${PLAYER}`);
    expect(ids.of({ kind: 'bytes', bytes: new Uint8Array() }, 'abc')).toBe('bytes:abc');
  });

  test.each([
    ['YWJj', 'ZGVm', 'value:db31c9727b76a4bf979fc78c59cebf05'],
    ['YWJj', undefined, 'value:1b0a698c398da5c5865ed1ec4ba12c6c'],
  ])('is a digest of skin data, and stays the same in all versions: %s, %s', (value, signature, id) => {
    const content = { kind: 'data', given: { value, signature } } as SourceContent;
    expect(ids.of(content, undefined)).toBe(id);
  });

  test('is right for each file, whichever file came before', () => {
    const inProject = new SourceIds('/project/out');
    const ids = ['a.png', 'b.png', '../c.png', 'deep/d.png', '../deep/e.png', 'f.png'];
    for (const id of ids)
      expect(inProject.of({ kind: 'file', path: join('/project/out', id) }, undefined)).toBe(id);
  });

  test('never looks, for a file, like the name of another kind of source', () => {
    expect(fileId(`/project/out/user:${PLAYER}`)).toBe(`./user:${PLAYER}`);
    expect(fileId('/project/out/https:/a.example')).toBe('./https:/a.example');
    expect(fileId('/project/out/bytes:abc')).toBe('./bytes:abc');
  });

  test('does not exist for a source without content', () => {
    const content = { kind: 'problem', problem: { code: 'x', message: 'x' } } as const;
    expect(() => ids.of(content, undefined)).toThrow('no name');
  });
});

describe('sourcePath', () => {
  test.each([
    '/project/out/steve.png',
    '/project/skins/alex.png',
    '/project/out/user:x.png',
    '/project/out/..d.png',
  ])('finds the file again: %s', (path) => {
    expect(sourcePath(fileId(path), '/project/out')).toBe(path);
  });

  test('finds no file for other sources', () => {
    for (const source of ['https://a.example/s.png', 'HTTP://a.example/', `user:${PLAYER}`, 'bytes:abc']) {
      expect(sourcePath(source, '/project/out')).toBeUndefined();
    }
  });
});

test('A file is gone if it does not exist, but not if its folder is a link to a drive that is not mounted', async () => {
  const folder = await ownFolder();
  writeFileSync(join(folder, 'there.png'), '');
  symlinkSync('nowhere', join(folder, 'broken.png'));
  symlinkSync('not-mounted', join(folder, 'drive'));
  const sources = ['there.png', 'broken.png', 'drive/a.png', 'gone.png', 'no/folder/gone.png', 'user:x'];
  expect(sources.filter((source) => isGone(source, folder))).toEqual(['gone.png', 'no/folder/gone.png']);
});
