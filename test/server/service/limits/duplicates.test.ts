import { expect, test } from 'vitest';
import { Duplicates } from '../../../../src/server/service/limits/duplicates.ts';

const START = Date.UTC(2026, 0, 1, 12, 30, 30);

test('Duplicates are counted for each caller by itself, also when there are more callers than are kept idle', () => {
  const duplicates = new Duplicates();
  const count = (owner: string, now: number) => duplicates.count({ owner, limit: 2, now }) - now;
  expect([count('a', START), count('a', START)]).toEqual([0, 0]);
  for (let n = 0; n < 5_000; n++) expect(count(`other ${n}`, START)).toBe(0);
  expect(count('a', START)).toBe(61_000);
  expect(count('other 1', START)).toBe(0);
  for (let n = 0; n < 15_000; n++) count(`later ${n}`, START + 61_000);
  expect([count('a', START + 61_000), count('a', START + 61_000)]).toEqual([0, 0]);
  expect(count('a', START + 61_000)).toBe(61_000);
});
