import { expect, test } from 'vitest';
import { isPlausible, pollableAt } from '../../../src/dispatch/look-times.ts';

test.each([
  [undefined, false],
  [-1, false],
  [0, false],
  [1, true],
  [60_000, true],
  [60_001, false],
])('An estimate of %s ms is plausible: %s', (eta, isIt) => {
  expect(isPlausible(eta)).toBe(isIt);
});

test('A job may be polled at once, and again after a second', () => {
  const job = { acceptedAt: 500, eta: undefined };
  expect([pollableAt(job), pollableAt({ ...job, polledAt: 700 })]).toEqual([0, 1_700]);
});

test('A job that the service does not find is polled ever more rarely', () => {
  const job = { acceptedAt: 0, eta: undefined, polledAt: 20_000 };
  const pause = (since: number) => pollableAt({ ...job, absent: { since, at: 20_000, times: 1 } }) - 20_000;
  expect([20_000, 17_000, 12_000, 0].map(pause)).toEqual([1_000, 1_000, 2_000, 5_000]);
});
