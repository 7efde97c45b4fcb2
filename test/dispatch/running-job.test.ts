import { expect, test } from 'vitest';
import { isPlausible, pollableAt } from '../../src/dispatch/running-job.ts';

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
