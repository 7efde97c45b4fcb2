import { describe, expect, test } from 'vitest';
import { spentBy, untilLook } from '../../../src/dispatch/shared-queue.ts';

/** When looks are taken by someone who always wants one, in `ms` milliseconds of jobs that take `typical`. */
function looks(typical: number | undefined, ms: number): number[] {
  const times: number[] = [];
  let spent = 0;
  for (let now = 0, last = Number.NEGATIVE_INFINITY; now < ms; now++) {
    const account = { age: now - last, spent, typical };
    if (untilLook(account) > 0) continue;
    spent = spentBy(account);
    last = now;
    times.push(now);
  }
  return times;
}

describe('Looks that processes take together', () => {
  test.each([100, 450, 1_000, 1_500, 30_000])('are 1.5 a wave of %i ms, after the first two', (typical) => {
    expect(looks(typical, 20 * typical).length).toBeLessThanOrEqual(1.5 * 20 + 2);
    expect(looks(typical, 20 * typical).length).toBeGreaterThanOrEqual(typical > 1_000 ? 20 : 29);
  });

  test.each([1_001, 1_500, 30_000, undefined])(
    'are over half a second apart when jobs take %s ms',
    (typical) => {
      const times = looks(typical, 60_000);
      const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
      expect(Math.min(...gaps)).toBe(520);
    },
  );

  test('may come at once after long silence, but only two of them', () => {
    const account = { age: 3_600_000, spent: 2, typical: 400 };
    expect(untilLook(account)).toBe(0);
    expect(spentBy(account)).toBe(1);
    expect(untilLook({ age: 0, spent: 1, typical: 400 })).toBe(0);
    expect(untilLook({ age: 0, spent: 2, typical: 400 })).toBeGreaterThan(250);
  });

  test.each([
    [1_000, 0],
    [1_001, 520],
  ])('follow each other at once while jobs take %i ms, else after %i ms', (typical, wait) => {
    expect(untilLook({ age: 0, spent: 1, typical })).toBe(wait);
  });

  test('cost nothing in advance while the duration of jobs is unknown', () => {
    expect(spentBy({ age: 0, spent: 5, typical: undefined })).toBe(1);
  });
});
