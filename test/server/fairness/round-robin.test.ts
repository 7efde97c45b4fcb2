import { expect, test } from 'vitest';
import { RoundRobin } from '../../../src/server/fairness.ts';

test('Groups take turns, each with its items in their order, and all are counted', () => {
  const items = new RoundRobin<number>();
  for (const [group, item] of [
    ['a', 1],
    ['a', 2],
    ['a', 3],
    ['b', 4],
    ['c', 5],
    ['c', 6],
  ] as const)
    items.add(group, item);
  expect([items.size, items.countOf('a'), items.countOf('d')]).toEqual([6, 3, 0]);
  expect(Array.from({ length: 6 }, () => items.take())).toEqual([1, 4, 5, 2, 6, 3]);
  expect([items.size, items.isEmpty, items.take()]).toEqual([0, true, undefined]);
});
