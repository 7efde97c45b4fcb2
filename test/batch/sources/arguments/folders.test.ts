import { closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSources } from '../../../../src/batch/sources/arguments.ts';
import {
  allOf,
  collected,
  folderOf,
  onlyOf,
  problemOf,
  rootsIn,
  spec,
  stemsOf,
} from '../../../support/batch/read-sources.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

describe('A folder', () => {
  test('stands for the PNG files directly in it, sorted by code units, none hidden', async () => {
    const names = ['b.png', 'a.PNG', 'B.png', '.hidden.png', 'notes.txt', 'c.png.bak', 'below/d.png'];
    const cwd = await folderOf(names);
    mkdirSync(join(cwd, 'folder.png'));
    const sources = await allOf({ args: ['.'] }, rootsIn(cwd));
    expect(sources.map((source) => source.label)).toEqual(['B.png', 'a.PNG', 'b.png']);
    expect(sources.map((source) => source.stem)).toEqual(['B', 'a', 'b']);
    expect(sources[1]?.content).toEqual({ kind: 'file', path: join(cwd, 'a.PNG') });
  });

  test('is sorted the same on every machine', async () => {
    const cwd = await folderOf(['\ufb00.png', '😀.png', 'é.png', 'e.png', 'Z.png']);
    expect(await stemsOf({ args: ['.'] }, rootsIn(cwd))).toEqual(['Z', 'e', 'é', '😀', '\ufb00']);
  });

  test('includes everything below it on request, files before folders', async () => {
    const names = ['b/z.png', 'b/y/x.png', 'a/2.png', 'c.png', 'd.png/e.png', '.git/f.png', 'b/.g/h.png'];
    const cwd = await folderOf(names.map((name) => `skins/${name}`));
    const sources = await allOf({ args: ['./skins/'], recursive: true }, rootsIn(cwd));
    expect(sources.map((source) => source.stem)).toEqual(['c', 'a/2', 'b/z', 'b/y/x', 'd.png/e']);
    expect(sources.map((source) => source.label)).toEqual([
      'skins/c.png',
      'skins/a/2.png',
      'skins/b/z.png',
      'skins/b/y/x.png',
      'skins/d.png/e.png',
    ]);
    expect(sources[3]?.content).toEqual({ kind: 'file', path: join(cwd, 'skins/b/y/x.png') });
  });

  test('without PNG files is a source with a problem that says so', async () => {
    const cwd = await folderOf(['skins/a.txt', 'skins/.b.png', 'skins/.c/d.png']);
    for (const recursive of [false, true]) {
      const source = await onlyOf({ args: ['skins'], recursive }, rootsIn(cwd));
      expect(source.label).toBe('skins');
      expect(problemOf(source)).toEqual({
        code: 'empty_folder',
        message: 'No PNG files in skins.',
        hint: undefined,
      });
    }
  });

  test('with PNG files only in its subfolders says how to include them', async () => {
    const cwd = await folderOf(['skins/a/b/c.png']);
    const source = await onlyOf({ args: ['skins'] }, rootsIn(cwd));
    expect(problemOf(source)?.hint).toBe('Use -r to include subfolders.');
  });

  test('yields its first file before it reads subfolders', async () => {
    const cwd = await folderOf(['a.png', 'below/b.png']);
    const sources = openSources(spec({ args: [cwd], recursive: true }), rootsIn('/'));
    expect((await sources.next()).value).toMatchObject({ stem: 'a' });
    writeFileSync(join(cwd, 'below/c.png'), '');
    const rest = await collected(sources);
    expect(rest.map((source) => source.stem)).toEqual(['below/b', 'below/c']);
  });

  test('that disappears during the walk affects no other', async () => {
    const cwd = await folderOf(['a.png', 'gone/b.png', 'stays/c.png']);
    const sources = openSources(spec({ args: ['.'], recursive: true }), rootsIn(cwd));
    await sources.next();
    rmSync(join(cwd, 'gone'), { recursive: true });
    const [gone, stays] = await collected(sources);
    expect(gone).toMatchObject({ label: 'gone', stem: 'gone' });
    expect(problemOf(gone!)).toMatchObject({
      code: 'no_such_file',
      message: 'No file or folder gone.',
    });
    expect(stays).toMatchObject({ stem: 'stays/c', content: { kind: 'file' } });
  });

  test('that is replaced during the walk affects no other', async () => {
    const cwd = await folderOf(['a.png', 'b/c.png', 'file', 'z/y.png']);
    const sources = openSources(spec({ args: [cwd], recursive: true }), rootsIn('/'));
    await sources.next();
    renameSync(join(cwd, 'b'), join(cwd, '.b'));
    symlinkSync('b', join(cwd, 'b'));
    const [loop, good] = await collected(sources);
    expect(problemOf(loop!)).toEqual({
      code: 'not_a_file',
      message: `${join(cwd, 'b')} is a symbolic link loop.`,
    });
    expect(good?.stem).toBe('z/y');
  });

  test('of ten thousand files yields all that are not ignored', async () => {
    const cwd = await ownFolder();
    for (let index = 0; index < 10_000; index++) closeSync(openSync(join(cwd, `${index}.png`), 'w'));
    expect(await allOf({ args: ['.'], recursive: true, ignore: ['*9.png'] }, rootsIn(cwd))).toHaveLength(
      9_000,
    );
  });
});

describe('A link in a folder', () => {
  test('to a file is taken under its own name', async () => {
    const cwd = await folderOf(['elsewhere/original.png', 'skins/a.txt']);
    symlinkSync('../elsewhere/original.png', join(cwd, 'skins/b.png'));
    symlinkSync('../elsewhere/original.png', join(cwd, 'skins/c.txt'));
    expect(await stemsOf({ args: ['skins'] }, rootsIn(cwd))).toEqual(['b']);
  });

  test('to a folder is followed where subfolders are included', async () => {
    const cwd = await folderOf(['elsewhere/a.png', 'skins/b.png']);
    symlinkSync('../elsewhere', join(cwd, 'skins/more'));
    symlinkSync('../elsewhere', join(cwd, 'skins/x.png'));
    expect(await stemsOf({ args: ['skins'] }, rootsIn(cwd))).toEqual(['b']);
    expect(await stemsOf({ args: ['skins'], recursive: true }, rootsIn(cwd))).toEqual([
      'b',
      'more/a',
      'x.png/a',
    ]);
  });

  test('to a parent folder is skipped', async () => {
    const cwd = await folderOf(['a/b/c.png', 'd/e.png']);
    symlinkSync('../..', join(cwd, 'a/b/top'));
    symlinkSync('.', join(cwd, 'd/self'));
    symlinkSync('../a', join(cwd, 'd/other'));
    expect(await stemsOf({ args: ['.'], recursive: true }, rootsIn(cwd))).toEqual([
      'a/b/c',
      'd/e',
      'd/other/b/c',
    ]);
  });

  test('to nothing affects no other file', async () => {
    const cwd = await folderOf(['good.png']);
    symlinkSync('/no/such/file', join(cwd, 'a.png'));
    symlinkSync('b.png', join(cwd, 'b.png'));
    symlinkSync('/no/such/file', join(cwd, 'not-a-picture'));
    const [absent, loop, good] = await allOf({ args: [cwd], recursive: true }, rootsIn('/'));
    expect(absent).toMatchObject({ label: join(cwd, 'a.png'), stem: 'a' });
    expect(problemOf(absent!)).toEqual({
      code: 'no_such_file',
      message: `${join(cwd, 'a.png')} is a symbolic link to something that does not exist.`,
    });
    expect(problemOf(loop!)?.message).toBe(`${join(cwd, 'b.png')} is a symbolic link loop.`);
    expect(good).toMatchObject({ stem: 'good', content: { kind: 'file' } });
  });
});

test('Dangling links are reported in the order of their names', async () => {
  const cwd = await folderOf([]);
  // Listed by their bytes, these names are in another order than by code units.
  for (const name of ['\ufb00', '😀', 'a']) symlinkSync('/no/such/file', join(cwd, `${name}.png`));
  expect(await stemsOf({ args: ['.'] }, rootsIn(cwd))).toEqual(['a', '😀', '\ufb00']);
});

describe('A walk', () => {
  test('goes 64 folders deep and says where it ends', async () => {
    const deep = (depth: number) => 'd/'.repeat(depth);
    const cwd = await folderOf([`${deep(64)}in.png`, `${deep(65)}out.png`]);
    const [within, beyond, ...others] = await allOf({ args: [cwd], recursive: true }, rootsIn('/'));
    expect(within?.stem).toBe(`${deep(64)}in`);
    expect(problemOf(beyond!)).toEqual({
      code: 'too_deep',
      message: `${join(cwd, deep(65)).replace(/\/$/, '')} is more than 64 folders deep.`,
    });
    expect(others).toEqual([]);
  });
});
