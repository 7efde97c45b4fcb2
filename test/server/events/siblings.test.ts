import { expect, test } from 'vitest';
import { partOf } from '../../../src/server/events/siblings.ts';

test.each([
  [5, 2, [3, 2]],
  [2, 2, [1, 1]],
  [1, 3, [1, 0, 0]],
  [0, 2, [0, 0]],
  [2000, 3, [667, 667, 666]],
])('%d among %d processes are %j', (total, count, parts) => {
  expect(Array.from({ length: count }, (_, index) => partOf(total, { index, count }))).toEqual(parts);
});
