import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LookTimes, type RunningJob } from '../../src/dispatch/look-times.ts';

const LONGEST = 5_000;
const RUNS = { numRuns: 500, seed: 20_251_121 };

const accepted = (acceptedAt: number, eta?: number): RunningJob => ({ acceptedAt, eta });

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
  readonly isAlone?: boolean;
  readonly othersAt?: number;
}

function next(times: LookTimes, jobs: readonly RunningJob[], moment: Moment): number {
  return times.next(jobs, { lastLook: 0, roundTrip: 0, ...moment });
}

/** How long after a look the next one comes when the only job, accepted at 0, was not done by then. */
function pauseAfter(lastLook: number, times: LookTimes, roundTrip = 0): number {
  return next(times, [accepted(0)], { now: lastLook + 1, lastLook, roundTrip }) - lastLook;
}

/** When the list is looked at next, and which job is polled singly when. */
function poll(times: LookTimes, jobs: readonly RunningJob[], moment: Moment) {
  const asked = times.nextPoll(jobs, { lastLook: 0, roundTrip: 0, ...moment });
  return asked && [jobs.indexOf(asked.job), asked.at];
}

describe('With nothing learned', () => {
  const times = new LookTimes(LONGEST);

  test('one job after the other is polled, ever more rarely, until one has ended', () => {
    expect(times.typical).toBeUndefined();
    const jobs: RunningJob[] = [accepted(1_000), accepted(1_000), accepted(1_000)];
    const asks: [job: number, at: number][] = [];
    for (let n = 0; n < 4; n++) {
      const [job = 0, at = 0] = poll(times, jobs, { now: 1_000 }) ?? [];
      asks.push([job, Math.round(at)]);
      jobs[job] = { ...jobs[job]!, polledAt: at };
    }
    expect(asks).toEqual([
      [0, 1_250],
      [1, 1_500],
      [2, 2_000],
      [0, 3_000],
    ]);
  });

  test('the list is requested when a job of usual length should have ended', () => {
    expect(next(times, [accepted(1_000)], { now: 1_000 })).toBe(3_000);
  });

  test('the list is requested when the service expects the last job of a wave to end', () => {
    const jobs = [accepted(1_000, 500), accepted(1_010, 500), accepted(1_080, 510)];
    expect(next(times, jobs, { now: 1_100 })).toBe(1_590);
  });

  test.each([
    ['an hour ahead', 3_600_000],
    ['in the past', -5_000],
    ['in other units', -1_766_000_000_000],
    ['later than a usual job ends', 30_000],
  ])('an eta that is %s does not put the look off', (_, eta) => {
    expect(next(times, [accepted(0, eta)], { now: 0 })).toBe(2_000);
  });

  test('reads of the list are at least a quarter of a second apart', () => {
    const late = [accepted(0, 100)];
    expect(next(times, late, { now: 111, lastLook: 110 })).toBe(360);
  });

  test('a due look stays due until it is made', () => {
    for (const now of [1_100, 1_101, 9_000]) {
      expect(next(times, [accepted(1_000, 200)], { now, lastLook: 900 })).toBe(1_200);
    }
  });
});

describe('Uneven jobs', () => {
  const uneven = learned([300, 500, 700, 900, 1_100, 1_300, 1_500, 1_800]);
  const fresh = [accepted(0), accepted(0), accepted(0), accepted(0), accepted(0)];

  const alone = { now: 0, isAlone: true };

  test('are looked at in the list when one or two have probably ended, and twice a second at most', () => {
    const at = next(uneven, fresh, { ...alone, lastLook: -1_000 });
    expect(at).toBeGreaterThanOrEqual(700);
    expect(at).toBeLessThanOrEqual(701);
    expect(next(uneven, fresh, { ...alone, lastLook: 1_550 })).toBe(2_065);
  });

  test.each([
    ['take 0.4 to 0.85 s', 400, 840],
    ['take over 1.5 s', 1_500, 3_000],
  ])(
    'that typically %s are polled singly, without a list unless other callers had jobs in it',
    (_, ...typical) => {
      for (const middle of typical) {
        const times = learned([0.2, 0.6, 0.8, 1, 1.2, 1.4, 1.8].map((part) => part * middle));
        const listed = (state: Partial<Moment>) => next(times, fresh, { ...alone, ...state });
        expect([listed({}), listed({ othersAt: 0 })]).toEqual([60_000, 2_000]);
        expect(listed({ isAlone: false })).toBeLessThanOrEqual(1.4 * middle);
        expect(poll(times, fresh, alone)?.[1]).toBeGreaterThan(1.8 * middle);
      }
    },
  );

  test.each([390, 850, 1_490])('that typically take %s ms are looked at in the list', (middle) => {
    const times = learned([0.2, 0.6, 0.8, 1, 1.2, 1.4, 1.8].map((part) => part * middle));
    expect(next(times, fresh, { ...alone, lastLook: -1_000 })).toBeLessThanOrEqual(middle);
  });

  test('that take over 1.5 s are looked at in the list while few are known', () => {
    const long = learned([1_000, 2_000, 2_500, 3_000]);
    expect(next(long, fresh, { ...alone, lastLook: -1_000 })).toBeLessThan(2_501);
  });

  test('are looked at when half of them have probably ended if the list shows the jobs of other callers as well', () => {
    const pair = fresh.slice(3);
    expect(next(uneven, pair, { now: 0, lastLook: -1_000 })).toBeLessThanOrEqual(1_101);
    expect(next(uneven, pair, { ...alone, lastLook: -1_000 })).toBeGreaterThan(1_300);
  });

  test('are polled singly once they have almost certainly ended, once a second each', () => {
    const seen = [{ ...accepted(0), seenAt: 550 }];
    const [job, at = 0] = poll(uneven, seen, { ...alone, now: 550, lastLook: 550 }) ?? [];
    expect(job).toBe(0);
    expect(at).toBeGreaterThan(1_800);
    expect(at).toBeLessThan(2_100);
    const asked = [{ ...accepted(0), polledAt: 1_600, seenAt: 1_600 }];
    expect(poll(uneven, asked, { ...alone, now: 1_600, lastLook: 1_300 })).toEqual([0, 2_600]);
  });

  test('are not polled singly just before a request for the list', () => {
    expect(poll(uneven, fresh, { now: 0, lastLook: -1_000 })).toBeUndefined();
  });
});

describe('With durations learned, a look', () => {
  test('comes when nine of ten jobs have ended', () => {
    const times = learned([210, 300, 230, 240, 250, 260, 270, 280, 290, 220, 200]);
    expect(times.typical).toBe(250);
    expect(next(times, [accepted(1_000)], { now: 1_000 })).toBe(1_290);
  });

  test('uses the last sixteen durations', () => {
    expect(learned([...repeated(300), ...repeated(500)]).typical).toBe(500);
    expect(next(learned([9_000, ...repeated(300)]), [accepted(0)], { now: 0 })).toBe(300);
    expect(next(learned([9_000, ...repeated(300).slice(2)]), [accepted(0)], { now: 0 })).toBe(300);
  });

  test('skips durations that no job can have', () => {
    expect(learned([-1, Number.NaN, Number.POSITIVE_INFINITY]).typical).toBeUndefined();
  });

  test('counts a job that has ended in the millisecond in which it was accepted', () => {
    expect(learned([0]).typical).toBe(0);
  });

  test('uses what another process has learned, once and until there is more', () => {
    const times = new LookTimes(LONGEST);
    times.assumeTypical(undefined);
    expect(times.typical).toBeUndefined();
    times.assumeTypical(700);
    expect([times.typical, Math.floor(next(times, [accepted(1_000)], { now: 1_000 }))]).toEqual([700, 1_700]);
    times.assumeTypical(900);
    expect(times.typical).toBe(700);
  });

  test('comes at the end of the first wave: jobs that end within a fifth of what one takes', () => {
    const times = learned(repeated(1_000));
    const jobs = [accepted(600), accepted(0), accepted(200), accepted(90), accepted(201)];
    expect(next(times, jobs, { now: 601 })).toBe(1_200);
    expect(next(times, jobs.slice(1).toReversed(), { now: 601 })).toBe(1_200);
  });

  test('treats ends within 20 ms as one wave, however short the jobs are', () => {
    const jobs = [accepted(0), accepted(20), accepted(21)];
    expect(next(learned(repeated(50)), jobs, { now: 21 })).toBe(70);
  });

  test("comes again after a twelfth of a job's duration, then after two fifths of its lateness", () => {
    const times = learned(repeated(1_000));
    expect([1_000, 1_100, 1_125].map((lastLook) => pauseAfter(lastLook, times))).toEqual([80, 80, 80]);
    expect(pauseAfter(1_500, times)).toBeCloseTo(200);
    expect(pauseAfter(1_000, times, 100)).toBe(200);
    expect(pauseAfter(100_000, times)).toBe(LONGEST);
  });

  test('comes again after half a second at least when some jobs take over a second', () => {
    expect(pauseAfter(1_001, learned(repeated(1_001)))).toBe(515);
  });

  test('comes again after 10 ms at least', () => {
    expect(pauseAfter(40, learned(repeated(40)), 1)).toBe(10);
  });

  test('does not wait for a late job when others are about to end', () => {
    const jobs = [accepted(0), accepted(3_000)];
    expect(next(learned(repeated(1_000)), jobs, { now: 3_990, lastLook: 3_980 })).toBe(4_000);
  });
});

describe("The service's own expectation", () => {
  const lookFor = (times: LookTimes, eta: number) => next(times, [accepted(0, eta)], { now: 0 });
  const scattered = [200, 500, 300, 700, 250, 650, 450, 350];

  test('is followed when it is right although durations differ', () => {
    const times = learned(scattered, (duration) => duration);
    expect([220, 690].map((eta) => lookFor(times, eta))).toEqual([220, 690]);
  });

  test('is corrected when it is wrong by a constant', () => {
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

  test('is ignored when experience predicts better', () => {
    const etas = scattered.values();
    const times = learned(repeated(300).slice(0, 8), () => etas.next().value ?? 0);
    expect([100, 5_000].map((eta) => lookFor(times, eta))).toEqual([300, 300]);
  });

  test('gives way to experience until it has proved itself', () => {
    expect(lookFor(learned(repeated(300)), 2_000)).toBe(300);
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

  test('that are due stay due until they are made', () => {
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

  test('for jobs that were all late at the last one are two round trips and 10 ms apart at least', () => {
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

  test('do not depend on the order of the jobs, nor on where the clock began', () => {
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
