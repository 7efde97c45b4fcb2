import { expect, test } from 'vitest';
import { RecentMap } from '../../../../../src/server/generators/upstream/jobs.ts';

test('Only the latest entries are kept, and one that is set again is a late one', () => {
  const recent = new RecentMap<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect(['a', 'b', 'c'].map((name) => recent.get(name))).toEqual([3, undefined, 4]);
});
