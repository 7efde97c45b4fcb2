import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GoneSource } from '../../../../src/batch/options.ts';
import { moveOutputs, renamesAmong } from '../../../../src/batch/run/gone-sources.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

/** Sources with the works of their entries; a name in capitals: nothing is left in its folder. */
function found(gone: Readonly<Record<string, string>>, fresh: Readonly<Record<string, string>>): string[] {
  const works = Object.values(gone).flatMap((keys) => [...keys]);
  const sources = Object.entries(gone).map(([id]): GoneSource => {
    return { id, label: id, outputs: [], isDoubtful: id === id.toUpperCase() };
  });
  const lockfile = {
    entriesOf: (id: string) => {
      const before = Object.keys(gone).slice(0, Object.keys(gone).indexOf(id));
      const start = before.reduce((sum, name) => sum + (gone[name]?.length ?? 0), 0);
      return [...(gone[id] ?? '')].map((_, at) => start + at);
    },
    workOf: (entry: number) => works[entry] ?? '',
  };
  const known = Object.entries(fresh).flatMap(([id, keys]) => [...keys].map((key) => ({ id, key })));
  return renamesAmong(sources, known, lockfile).map(({ from, to }) => `${from.id} to ${to}`);
}

test('A rename is assumed if exactly one source is gone and exactly one is new with the same work', () => {
  expect(found({ a: '1', b: '2' }, { c: '2', d: '3' })).toEqual(['b to c']);
  expect(found({ a: '1', b: '2' }, { x: '2', y: '1' })).toEqual(['a to y', 'b to x']);
  expect(found({ a: '12' }, { x: '1' })).toEqual(['a to x']);
});

test('No renames are assumed if several sources are gone or new, and a folder without pictures may come back', () => {
  expect(found({ a: '1', b: '1' }, { x: '1' })).toEqual([]);
  expect(found({ a: '1' }, { x: '1', y: '1' })).toEqual([]);
  expect(found({ a: '12' }, { x: '1', y: '2' })).toEqual([]);
  expect(found({ a: '1', b: '2' }, { x: '12' })).toEqual([]);
  expect(found({ A: '1' }, { x: '1' })).toEqual([]);
});

test('Output files get the new name, except files that the run has already written and files of others', async () => {
  const lockDir = await ownFolder();
  const write = (name: string, text: string) => writeFileSync(join(lockDir, name), text);
  mkdirSync(join(lockDir, 'deep'));
  for (const name of ['a.json', 'a.txt', 'a.md', 'other.txt']) write(name, `old ${name}`);
  write('b.json', 'new b.json');
  const ours = ['a.json', 'a.txt', 'other.txt'].map((name) => join(lockDir, name));
  const from: GoneSource = { id: 'a.png', label: 'a.png', outputs: ours, isDoubtful: false };
  const { moved, outputs } = moveOutputs(
    { from, to: 'b.png' },
    {
      before: [{ name: 'a', files: ['a.json', 'a.md', 'a.txt', 'other.txt'] }],
      after: [{ name: 'b', files: ['b.json'] }],
      lockDir,
    },
  );
  expect(moved.map((one) => [one.from, one.to].map((path) => path.slice(lockDir.length + 1)))).toEqual([
    ['a.json', 'b.json'],
    ['a.txt', 'b.txt'],
  ]);
  expect(outputs).toEqual([
    { name: 'a', files: ['a.md', 'other.txt'] },
    { name: 'b', files: ['b.json', 'b.txt'] },
  ]);
  expect(['b.json', 'b.txt', 'a.md'].map((name) => readFileSync(join(lockDir, name), 'utf8'))).toEqual([
    'new b.json',
    'old a.txt',
    'old a.md',
  ]);
  expect(existsSync(join(lockDir, 'a.json'))).toBe(false);
});

test('An output keeps its name if the new one is taken, or would be hidden or outside of the folder', async () => {
  const lockDir = await ownFolder();
  const write = (name: string) => writeFileSync(join(lockDir, name), name);
  for (const name of ['a.txt', 'b.txt']) write(name);
  const from: GoneSource = {
    id: 'a.png',
    label: 'a.png',
    outputs: [join(lockDir, 'a.txt')],
    isDoubtful: false,
  };
  for (const to of ['b', '.b', '../b', '.hidden/b']) {
    const before = [{ name: 'a', files: ['a.txt'] }];
    const after = [{ name: to, files: [`${to}.json`] }];
    expect(moveOutputs({ from, to: 'b.png' }, { before, after, lockDir }).moved).toEqual([]);
  }
  expect(['a.txt', 'b.txt'].map((name) => readFileSync(join(lockDir, name), 'utf8'))).toEqual([
    'a.txt',
    'b.txt',
  ]);
});

test('The outputs of a renamed source stay as they are if the run has written none', () => {
  const before = [{ name: 'a', files: ['a.json'] }];
  const from: GoneSource = { id: 'a.png', label: 'a.png', outputs: ['/a.json'], isDoubtful: false };
  expect(moveOutputs({ from, to: 'b.png' }, { before, lockDir: '/' })).toEqual({
    moved: [],
    outputs: before,
  });
});
