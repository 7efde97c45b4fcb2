import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LookTimes, type Underway } from '../../../src/batch/service/look-times.ts';

const LONGEST = 5_000;
const RUNS = { numRuns: 500, seed: 20_251_121 };

const accepted = (acceptedAt: number, eta?: number): Underway => ({ acceptedAt, eta });

/** What is known after jobs of these durations, with what the service had expected of them. */
function learned(durations: readonly number[], eta?: (duration: number) => number): LookTimes {
  const times = new LookTimes(LONGEST);
  for (const duration of durations) times.ended(accepted(0, eta?.(duration)), duration);
  return times;
}

const repeated = (duration: number) => Array<number>(16).fill(duration);

interface Moment {
  readonly now: number;
  readonly lastLook?: number;
  readonly roundTrip?: number;
}

function next(times: LookTimes, jobs: readonly Underway[], moment: Moment): number {
  return times.next(jobs, { lastLook: 0, roundTrip: 0, ...moment });
}

/** How long after a look the next one comes when the only job, accepted at 0, was not done by then. */
function pauseAfter(lastLook: number, times: LookTimes, roundTrip = 0): number {
  return next(times, [accepted(0)], { now: lastLook + 1, lastLook, roundTrip }) - lastLook;
}

describe('With nothing learned, a look', () => {
  const times = new LookTimes(LONGEST);

  it('comes 100 ms after a job was accepted', () => {
    expect(times.typical).toBeUndefined();
    expect(next(times, [accepted(1_000)], { now: 1_000 })).toBe(1_100);
  });

  it('comes when the service expects the end', () => {
    expect(next(times, [accepted(1_000, 2_500)], { now: 1_000 })).toBe(3_500);
  });

  it('stays due until somebody looks', () => {
    for (const now of [1_100, 1_101, 9_000]) {
      expect(next(times, [accepted(1_000)], { now, lastLook: 900 })).toBe(1_100);
    }
  });

  it('comes again after 100 ms, then after two fifths of what the job was late at the last one', () => {
    expect([100, 150, 350].map((lastLook) => pauseAfter(lastLook, times))).toEqual([100, 100, 100]);
    expect(pauseAfter(400, times)).toBeCloseTo(120);
    expect(pauseAfter(1_100, times)).toBeCloseTo(400);
  });

  it('comes no later than the longest pause, however late the job is', () => {
    expect(pauseAfter(1_000_000, times)).toBe(LONGEST);
  });

  it('waits for at least two round trips once a job is late', () => {
    expect(pauseAfter(100, times, 80)).toBe(160);
  });

  it('is not put off by more than 60 s, however far the expectation is', () => {
    expect(next(times, [accepted(0, 600_000)], { now: 0, lastLook: 0 })).toBe(60_000);
    expect(next(times, [accepted(0, 600_000)], { now: 550_000, lastLook: 549_000 })).toBe(600_000);
  });
});

describe('With durations learned, a look', () => {
  it('comes when nine of ten jobs have ended', () => {
    const times = learned([210, 300, 230, 240, 250, 260, 270, 280, 290, 220, 200]);
    expect(times.typical).toBe(250);
    expect(next(times, [accepted(1_000)], { now: 1_000 })).toBe(1_290);
  });

  it('goes by the last sixteen', () => {
    expect(learned([...repeated(300), ...repeated(500)]).typical).toBe(500);
    expect(next(learned([9_000, ...repeated(300)]), [accepted(0)], { now: 0 })).toBe(300);
    expect(next(learned([9_000, ...repeated(300).slice(2)]), [accepted(0)], { now: 0 })).toBe(300);
    expect(next(learned([9_000, 9_000, ...repeated(300).slice(2)]), [accepted(0)], { now: 0 })).toBe(9_000);
  });

  it('passes over durations that no job can have', () => {
    expect(learned([-1, Number.NaN, Number.POSITIVE_INFINITY]).typical).toBeUndefined();
  });

  it('comes at the end of the first wave: jobs that end within a tenth of what one takes', () => {
    const times = learned(repeated(1_000));
    const jobs = [accepted(600), accepted(0), accepted(100), accepted(90), accepted(101)];
    expect(next(times, jobs, { now: 601 })).toBe(1_100);
    expect(next(times, jobs.slice(1).toReversed(), { now: 601 })).toBe(1_100);
  });

  it('takes ends within 20 ms for one wave, however short the jobs are', () => {
    const jobs = [accepted(0), accepted(20), accepted(21)];
    expect(next(learned(repeated(50)), jobs, { now: 21 })).toBe(70);
  });

  it('comes again after a twentieth of what a job takes, then after two fifths of how late it was', () => {
    const times = learned(repeated(1_000));
    expect([1_000, 1_100, 1_125].map((lastLook) => pauseAfter(lastLook, times))).toEqual([50, 50, 50]);
    expect(pauseAfter(1_500, times)).toBeCloseTo(200);
    expect(pauseAfter(1_000, times, 60)).toBe(120);
    expect(pauseAfter(100_000, times)).toBe(LONGEST);
  });

  it('comes again after 10 ms at the least', () => {
    expect(pauseAfter(40, learned(repeated(40)), 1)).toBe(10);
  });

  it('does not wait for a late job when others are about to end', () => {
    const jobs = [accepted(0), accepted(3_000)];
    expect(next(learned(repeated(1_000)), jobs, { now: 3_990, lastLook: 3_980 })).toBe(4_000);
  });
});

describe("The service's own expectation", () => {
  const lookFor = (times: LookTimes, eta: number) => next(times, [accepted(0, eta)], { now: 0 });
  const scattered = [200, 500, 300, 700, 250, 650, 450, 350];

  it('is followed when it is right although durations are not alike', () => {
    const times = learned(scattered, (duration) => duration);
    expect([220, 690].map((eta) => lookFor(times, eta))).toEqual([220, 690]);
  });

  it('is corrected when it is wrong by a constant', () => {
    expect(
      lookFor(
        learned(scattered, (duration) => duration + 400),
        900,
      ),
    ).toBe(500);
    expect(
      lookFor(
        learned(scattered, (duration) => duration - 150),
        300,
      ),
    ).toBe(450);
  });

  it('is passed over when experience is nearer to the truth', () => {
    const etas = scattered.values();
    const times = learned(repeated(300).slice(0, 8), () => etas.next().value ?? 0);
    expect([100, 5_000].map((eta) => lookFor(times, eta))).toEqual([300, 300]);
  });

  it('is followed for the first job that has one', () => {
    expect(lookFor(learned(repeated(300)), 2_000)).toBe(2_000);
  });
});

describe('Looks', () => {
  const time = fc.integer({ min: 0, max: 200_000 });
  const job = fc.record({
    acceptedAt: time,
    eta: fc.option(fc.integer({ min: 0, max: 50_000 }), { nil: undefined }),
  });
  const cases = fc.record({
    durations: fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 20 }),
    etaError: fc.integer({ min: -500, max: 500 }),
    jobs: fc.array(job, { minLength: 1, maxLength: 8 }),
    sinceLook: time,
    roundTrip: fc.integer({ min: 0, max: 500 }),
  });

  const timesOf = ({ durations, etaError }: { durations: number[]; etaError: number }) =>
    learned(durations, (duration) => duration + etaError);

  it('that are due stay due until somebody looks', () => {
    fc.assert(
      fc.property(cases, time, ({ jobs, sinceLook, roundTrip, ...known }, later) => {
        const times = timesOf(known);
        const lastLook = 200_000 - sinceLook;
        const due = next(times, jobs, { now: 200_000, lastLook, roundTrip });
        const now = Math.max(200_000, due) + later;
        expect(next(times, jobs, { now, lastLook, roundTrip })).toBeLessThanOrEqual(now);
      }),
      RUNS,
    );
  });

  it('for jobs that were all late at the last one are two round trips and 10 ms apart at the least', () => {
    fc.assert(
      fc.property(cases, ({ jobs, sinceLook, roundTrip, ...known }) => {
        const lastLook = 2_000_000;
        const due = next(timesOf(known), jobs, { now: lastLook + sinceLook, lastLook, roundTrip });
        expect(due - lastLook).toBeGreaterThanOrEqual(Math.min(LONGEST, Math.max(10, 2 * roundTrip)));
        expect(due - lastLook).toBeLessThanOrEqual(LONGEST);
      }),
      RUNS,
    );
  });

  it('do not depend on the order of the jobs, nor on where the clock began', () => {
    fc.assert(
      fc.property(cases, time, ({ jobs, sinceLook, roundTrip, ...known }, shift) => {
        const times = timesOf(known);
        const [now, lastLook] = [200_000, 200_000 - sinceLook];
        const moved = jobs.map(({ acceptedAt, eta }) => accepted(acceptedAt + shift, eta)).toReversed();
        const movedDue = next(times, moved, { now: now + shift, lastLook: lastLook + shift, roundTrip });
        expect(movedDue).toBeCloseTo(next(times, jobs, { now, lastLook, roundTrip }) + shift, 3);
      }),
      RUNS,
    );
  });
});
