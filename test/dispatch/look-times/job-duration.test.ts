import { expect, test } from 'vitest';
import type { JobAnswer } from '../../../src/client/types.ts';
import { jobDuration } from '../../../src/dispatch/look-times.ts';

/** A job that was accepted at 1,000 ms and noticed as ended at 3,000 ms. */
function durationOf(times: { timestamp?: number; end?: number; seenAt?: number }) {
  const { timestamp, end, seenAt } = times;
  const state = {
    job: { id: 'a', status: 'completed', timestamp },
    skin: end === undefined ? undefined : { generator: { timestamp: end } },
  } as JobAnswer;
  return jobDuration({ acceptedAt: 1_000, eta: undefined, seenAt }, state, 3_000, undefined);
}

test.each([
  ["the service's own times", { timestamp: 50_000, end: 51_200 }, 1_200, true],
  ['the notice, where the service gives no times', {}, 2_000, false],
  ['the middle between two looks, where the job was seen unfinished', { seenAt: 2_000 }, 1_500, false],
  ["the service's own times, up to all that it can be", { timestamp: 50_000, end: 52_000 }, 2_000, true],
  ["the service's own times, where it took none", { timestamp: 50_000, end: 50_000 }, 0, true],
  ['the notice, where the job was seen unfinished since', { seenAt: 4_000 }, 2_000, false],
  ['the notice, where the told end is before the begin', { timestamp: 50_000, end: 49_000 }, 2_000, false],
  [
    'the notice, where the told time is longer than possible',
    { timestamp: 50_000, end: 52_001 },
    2_000,
    false,
  ],
])('The duration of a job is by %s', (_, times, duration, isReported) => {
  expect(durationOf(times)).toEqual({ duration, isReported });
});

test('A job first seen after its end may have taken any time of at least the shortest known duration', () => {
  const state = {
    job: { id: 'a', status: 'completed' as const, timestamp: undefined, eta: undefined, result: undefined },
    skin: undefined,
  };
  const { duration } = jobDuration({ acceptedAt: 1_000, eta: undefined }, state, 3_000, 1_000);
  expect(duration).toBe(1_500);
});
