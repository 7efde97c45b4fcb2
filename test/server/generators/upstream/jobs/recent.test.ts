import { expect, test } from 'vitest';
import { RecentIds } from '../../../../../src/server/generators/upstream/jobs.ts';

test('Only the latest entries are kept, and adding an entry again makes it the latest', () => {
  const recent = new RecentIds(2);
  for (const id of ['a', 'b', 'a', 'c']) recent.add(id);
  expect(['a', 'b', 'c'].map((id) => recent.has(id))).toEqual([true, false, true]);
});
