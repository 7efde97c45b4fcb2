import { expect, test } from 'vitest';
import type { Member } from '../../../src/batch/model/work.ts';
import { LockfileChanges } from '../../../src/batch/run/lockfile-changes.ts';

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

test('Beside a change of a source its kept entries are written again, those of other sources are not', () => {
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

test('The sources of a batch are known, so that pruning drops the others', () => {
  const changes = new LockfileChanges();
  changes.addSource(sourceOf('a'));
  expect([changes.hasSource('a'), changes.hasSource('b')]).toEqual([true, false]);
});
