import { describe, expect, test } from 'vitest';
import { type Poll, pollTimes } from '../../../src/client/rate-limits.ts';
import { START } from '../../support/client/fake-clock.ts';

function firstPauses(count: number, overrides: Partial<Poll> = {}): number[] {
  const poll = { eta: undefined, now: START, longest: undefined, ...overrides };
  return pollTimes(poll).take(count).toArray();
}

describe('pollTimes', () => {
  test('looks after 1 s, then at growing pauses of 1 s to 5 s, when nothing is known', () => {
    expect(firstPauses(8)).toEqual([1_000, 1_000, 1_500, 2_250, 3_375, 5_000, 5_000, 5_000]);
  });

  test('looks first when the job is expected to be done', () => {
    expect(firstPauses(3, { eta: START + 2_345 })).toEqual([2_345, 1_000, 1_500]);
  });

  test('looks at once when the job should be done already', () => {
    expect(firstPauses(2, { eta: START - 1 })).toEqual([0, 1_000]);
  });

  test('does not wait for an eta longer than a usual job takes', () => {
    expect(firstPauses(2, { eta: START + 3_600_000 })).toEqual([3_000, 1_000]);
  });

  test('never pauses longer than requested', () => {
    expect(firstPauses(5, { longest: 1_200 })).toEqual([1_000, 1_000, 1_200, 1_200, 1_200]);
  });

  test('polls no more often than services allow, however short the requested pauses', () => {
    expect(firstPauses(4, { longest: 200 })).toEqual([200, 1_000, 1_100, 1_100]);
  });

  test.each([200, 1_000, 5_000])(
    'never makes more than ten looks in ten seconds, at most %i ms apart',
    (longest) => {
      let at = 0;
      const looks = firstPauses(200, { longest }).map((pause) => (at += pause));
      for (const [index, look] of looks.entries())
        expect((looks[index + 10] ?? Number.POSITIVE_INFINITY) - look).toBeGreaterThan(10_000);
    },
  );

  test('continues without end', () => {
    expect(firstPauses(10_000).at(-1)).toBe(5_000);
  });
});
