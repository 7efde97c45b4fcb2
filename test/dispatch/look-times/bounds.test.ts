import { describe, expect, test } from 'vitest';
import { type LookState, LookTimes, type RunningJob } from '../../../src/dispatch/look-times.ts';

const LONGEST = 5_000;
const MARGIN = 2;
const repeated = (duration: number, count = 16) => Array<number>(count).fill(duration);
const accepted = (acceptedAt: number, eta?: number): RunningJob => ({ acceptedAt, eta });
const at = (now: number, lastLook = 0, isAlone = false): LookState => ({
  now,
  lastLook,
  roundTrip: 0,
  isAlone,
});

interface Known {
  readonly eta?: (duration: number) => number;
  readonly isReported?: boolean;
  readonly longest?: number;
}

/** What is known after jobs of these durations. */
function learned(durations: readonly number[], { eta, isReported = false, longest = LONGEST }: Known = {}) {
  const times = new LookTimes(longest);
  for (const duration of durations) times.ended(accepted(0, eta?.(duration)), duration, { isReported });
  return times;
}

describe('With nothing learned, of a process that is alone,', () => {
  const times = new LookTimes(LONGEST);

  test('the list is requested at the end of the last job with an estimate to wait for', () => {
    const jobs = [accepted(0, 1_500), accepted(30, 1_500), accepted(0, 2_500)];
    expect(times.next(jobs, at(40, 0, true))).toBe(1_530);
  });

  test('the list is requested for several jobs without an estimate after half a second, then at twice their age', () => {
    const jobs = [accepted(0), accepted(20)];
    expect([0, 500, 1_000].map((lastLook) => times.next(jobs, at(lastLook, lastLook, true)))).toEqual([
      500, 1_000, 2_000,
    ]);
  });

  test('the list is requested in time however long an estimate is', () => {
    expect(new LookTimes(1_000).next([accepted(0, 2_500)], at(10, 0, true))).toBe(1_000);
  });

  test('a late job is looked for again after as long as it has been late', () => {
    expect(times.next([accepted(0, 100)], at(1_101, 1_100))).toBe(2_100);
  });

  test('jobs that end within a tenth of a second are one wave', () => {
    const jobs = [accepted(0, 500), accepted(100, 500), accepted(101, 500)];
    expect(times.next(jobs, at(110))).toBe(600);
  });
});

describe('With durations learned', () => {
  test('a job is due exactly after the learned duration', () => {
    expect(learned(repeated(300)).next([accepted(0)], at(300, -500))).toBe(300);
  });

  test('a look is put off for a minute at most', () => {
    expect(learned(repeated(100_000)).next([accepted(0)], at(0))).toBe(60_000);
  });

  test('jobs that end before the next list may follow are one wave', () => {
    const jobs = [accepted(0), accepted(515), accepted(516)];
    expect(learned(repeated(1_500)).next(jobs, at(520))).toBe(2_015);
  });

  test('five durations let looks follow each other within less than a quarter of a second', () => {
    const due = [4, 5].map((count) => learned(repeated(300, count)).next([accepted(0)], at(301, 200)));
    expect(due).toEqual([450, 300]);
  });

  test('the estimates of the service are followed where they are no worse', () => {
    const times = learned(repeated(300), { eta: () => 100 });
    expect(times.next([accepted(0, 500)], at(0))).toBe(500);
  });

  test.each([
    [[700, 900, 1_000, 1_100, 1_300], 1_300],
    [[699, 900, 1_000, 1_100, 1_300], undefined],
  ])('jobs of %j ms end in waves unless they differ by more than three fifths', (durations, wave) => {
    const due = learned([...durations]).next([accepted(0)], at(0));
    if (wave !== undefined) expect(due).toBe(wave);
    else expect(due).toBeLessThan(1_300);
  });
});

describe('A job whose end is foreseen', () => {
  const told = (durations: readonly number[]) => learned(durations, { isReported: true });

  test('is one of jobs whose durations vary by a tenth at most', () => {
    const [just, over] = [
      [285, 300, 300, 300, 315],
      [284, 300, 300, 300, 315],
    ].map((durations) => told(durations).nextPoll([accepted(0)], at(10, 0, true)));
    expect([just?.at, over]).toEqual([315 + MARGIN, undefined]);
  });

  test('is not polled singly unless it is known that nobody else has jobs', () => {
    const state = { now: 10, lastLook: 0, roundTrip: 0 };
    expect(told(repeated(300)).nextPoll([accepted(0)], state)).toBeUndefined();
  });

  test('is looked up in the list when the answer to its poll is a second late', () => {
    const asked = [{ ...accepted(0), polledAt: 335 }];
    const times = told(repeated(300));
    expect(times.next(asked, at(1_334, 1_000, true))).toBe(61_000);
    expect(times.next(asked, at(1_335, 1_000, true))).toBeLessThan(1_500);
  });

  test('is polled again rather than looked up if it may be polled again by then', () => {
    const times = told(repeated(3_000));
    const [early, late] = [2_002, 2_003].map((polledAt) => {
      const job = { ...accepted(0), polledAt, seenAt: polledAt };
      return times.next([job], at(2_500, 2_000, true));
    });
    expect([early, late]).toEqual([62_000, 3_002]);
  });
});
