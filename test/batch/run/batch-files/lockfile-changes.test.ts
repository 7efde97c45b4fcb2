import { describe, expect, test } from 'vitest';
import type { Member } from '../../../../src/batch/model.ts';
import { LockfileChanges } from '../../../../src/batch/run/batch-files.ts';

const sourceOf = (id: string) => ({ id, pixels: undefined }) as Member;
const LOCKED = [
  ['a', 'k'],
  ['b', 'old'],
  ['c', 'old'],
] as const;
const lockfile = {
  sourceOf: (entry: number) => LOCKED[entry]![0],
  workOf: (entry: number) => LOCKED[entry]![1],
};

test('Entries that are in the lockfile already are not changes', () => {
  const changes = new LockfileChanges();
  changes.add(sourceOf('a'), { key: 'k', entry: 0 });
  expect([changes.isEmpty, changes.sorted(lockfile)]).toEqual([true, []]);
});

test('An entry under another name is a change: the source gets a line of its own', () => {
  const changes = new LockfileChanges();
  changes.add(sourceOf('a'), { key: 'k', entry: 3, moved: true });
  expect(changes.sorted(lockfile)).toEqual([{ id: 'a', key: 'k', pixels: undefined, entry: 3 }]);
});

test('isFirst is true only for the first of several sources with the same entry', () => {
  const changes = new LockfileChanges();
  expect([0, 0, 1, 0].map((entry) => changes.isFirst(entry))).toEqual([true, false, true, false]);
});

test('A change to one entry of a source rewrites the other entries of that source, and none of other sources', () => {
  const changes = new LockfileChanges();
  changes.add(sourceOf('b'), { key: 'old', entry: 1 });
  changes.add(sourceOf('c'), { key: 'old', entry: 2 });
  changes.add(sourceOf('b'), { key: 'new' });
  expect(changes.sorted(lockfile).map(({ id, key }) => [id, key])).toEqual([
    ['b', 'new'],
    ['b', 'old'],
  ]);
});

test('Changes are in the order of code units, as the lockfile is', () => {
  const changes = new LockfileChanges();
  for (const id of ['b', 'a', 'B', 'ä']) changes.add(sourceOf(id), { key: 'k' });
  expect(changes.sorted(lockfile).map(({ id }) => id)).toEqual(['B', 'a', 'b', 'ä']);
});

test('Changes of one source are in the order of their keys, in whatever order they came', () => {
  for (const keys of [
    ['k1', 'k2', 'k3'],
    ['k3', 'k1', 'k2'],
  ]) {
    const changes = new LockfileChanges();
    for (const key of keys) changes.add(sourceOf('a'), { key });
    expect(changes.sorted(lockfile).map(({ key }) => key)).toEqual(['k1', 'k2', 'k3']);
  }
});

test('The sources of a batch are known, so that pruning keeps them', () => {
  const changes = new LockfileChanges();
  changes.addSource({ ...sourceOf('a'), stem: 'one' });
  expect([[...changes.sources], [...changes.stems]]).toEqual([['a'], ['one']]);
});

describe('The record of a source', () => {
  const member = (record?: Member['record']): Member => ({ ...sourceOf('a'), stem: 'a', record });
  const kept = { name: 'a', files: ['a.json'] };

  test('is a change only if the lockfile does not have it', () => {
    const changes = new LockfileChanges();
    changes.addRecord(member({ list: '../l.csv', outputs: [kept] }), '../l.csv', ['a.json']);
    changes.addRecord(member(), undefined, []);
    expect([changes.isEmpty, changes.recordOf('a')]).toEqual([true, undefined]);
  });

  test('keeps the files and names of earlier batches', () => {
    const changes = new LockfileChanges();
    const earlier = [kept, { name: 'b', files: ['b.json'] }];
    changes.addRecord(member({ list: '../l.csv', outputs: earlier }), undefined, ['a.value']);
    const outputs = [earlier[1], { name: 'a', files: ['a.json', 'a.value'] }];
    expect([changes.isEmpty, changes.recordOf('a')]).toEqual([false, { list: '../l.csv', outputs }]);
  });

  test('has the files of one folder for each name, and the latest names only', () => {
    const changes = new LockfileChanges();
    changes.addRecord(member({ outputs: [{ name: 'a', files: ['out/1/a.json'] }] }), undefined, [
      'out/2/a.json',
    ]);
    expect(changes.recordOf('a')?.outputs).toEqual([{ name: 'a', files: ['out/2/a.json'] }]);
    for (let n = 1; n <= 12; n++) changes.addRecord({ ...member(), stem: `${n}` }, undefined, [`${n}.json`]);
    expect(changes.recordOf('a')?.outputs?.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${n + 3}`),
    );
  });

  test('has the names of all rows with the same file', () => {
    const changes = new LockfileChanges();
    for (const stem of ['a', 'b']) changes.addRecord({ ...member(), stem }, '../l.csv', [`${stem}.json`]);
    const outputs = ['a', 'b'].map((name) => ({ name, files: [`${name}.json`] }));
    expect(changes.recordOf('a')).toEqual({ list: '../l.csv', outputs });
  });
});
