import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../../src/base/bounded-fetch.ts';

const START = Date.UTC(2026, 0, 1);

const rows: [header: string | string[] | undefined, ms: number | undefined][] = [
  [undefined, undefined],
  ['0', 0],
  ['2', 2_000],
  [' 2 ', 2_000],
  ['0.25', 250],
  [['3', '9'], 3_000],
  [new Date(START + 4_000).toUTCString(), 4_000],
  [new Date(START - 4_000).toUTCString(), 0],
  ['', undefined],
  ['soon', undefined],
  ['-', undefined],
];
test.each(rows)('reads %j as %j ms', (header, ms) => {
  expect(parseRetryAfter(header, START)).toBe(ms);
});
