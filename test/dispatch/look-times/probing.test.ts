import { describe, expect, test } from 'vitest';
import {
  fillingLookAt,
  type LookState,
  pollableAt,
  probeAt,
  type RunningJob,
} from '../../../src/dispatch/look-times.ts';

const START = 10_000;

const accepted = (eta?: number, polledAt?: number): RunningJob => ({ acceptedAt: START, eta, polledAt });

/** The list was last requested so long after the jobs were accepted. */
const looked = (after: number, roundTrip = 0): LookState => ({
  now: START,
  lastLook: START + after,
  roundTrip,
  isAlone: true,
});

/** When each list and each single poll is due, from acceptance on, for jobs that do not end. */
function probesOf(jobs: readonly RunningJob[], until: number) {
  const lists: number[] = [];
  const polls: number[] = [];
  let open = jobs;
  let lastLook = START - 20;
  for (let now = START; now < START + until; ) {
    const state = { now, lastLook, roundTrip: 0, isAlone: true };
    const dues = open.map((job) => Math.max(probeAt(job, open, state), pollableAt(job)));
    const ask = Math.min(...dues);
    const list = fillingLookAt(open, state);
    now = Math.round(Math.min(ask, list));
    if (list < ask) {
      lastLook = now;
      lists.push(now - START);
    } else {
      const due = dues.indexOf(ask);
      open = open.map((job, n) => (n === due ? { ...job, polledAt: now } : job));
      polls.push(now - START);
    }
  }
  return { lists, polls };
}

/** The shortest time between two of them. */
const least = (times: readonly number[]) => Math.min(...times.slice(1).map((at, n) => at - times[n]!));

describe('A lone job without an estimate', () => {
  const { lists, polls } = probesOf([accepted()], 60_000);

  test('is polled singly, and the list fills the seconds between', () => {
    const early = (at: number) => at < 3_000;
    expect([polls.filter(early), lists.filter(early)]).toEqual([
      [100, 1_100, 2_184],
      [230, 480, 730, 1_320, 1_820, 2_621],
    ]);
  });

  test('is polled at most once a second; after its first second, the list is read twice a second', () => {
    expect(least(polls)).toBeGreaterThanOrEqual(1_000);
    expect(least(lists)).toBeGreaterThanOrEqual(250);
    expect(least(lists.filter((at) => at > 1_000))).toBeGreaterThanOrEqual(500);
  });

  test('has its end noticed within a fifth of its time, and needs no list after five seconds', () => {
    const all = [...lists, ...polls].sort((a, b) => a - b);
    for (const [n, at] of all.slice(1).entries()) {
      const before = all[n]!;
      expect(at - before).toBeLessThanOrEqual(Math.max(500, 0.2 * before + 1, before < 5_000 ? 1_000 : 0));
    }
    expect(lists.filter((at) => at > 5_500)).toEqual([]);
    expect(polls.filter((at) => at > 10_000).length).toBeLessThan(12);
  });
});

test('Five jobs are polled once early, then listed each time that their age has doubled', () => {
  const { lists, polls } = probesOf(Array(5).fill(accepted()), 5_000);
  expect(polls).toEqual([250]);
  expect(lists).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
});

describe('An estimate', () => {
  test('of up to three seconds is waited for, without a list in between', () => {
    expect(probeAt(accepted(3_000), [accepted(3_000)], looked(0))).toBe(START + 3_000);
    expect(fillingLookAt([accepted(3_000)], looked(0))).toBe(Number.POSITIVE_INFINITY);
  });

  test('of over three seconds is only one of the moments at which the job is looked for', () => {
    expect(probeAt(accepted(3_001), [accepted(3_001)], looked(0))).toBe(START + 100);
    const job = accepted(8_000, START + 7_950);
    expect(probeAt(accepted(8_000), [accepted(8_000)], looked(0))).toBe(START + 100);
    expect(fillingLookAt([job], looked(6_000))).toBe(START + 8_000);
  });

  test('that has passed makes looks frequent at first, then less and less frequent', () => {
    const next = (lastLook: number) => probeAt(accepted(8_000), [accepted(8_000)], looked(lastLook)) - START;
    expect([8_000, 8_200, 10_000].map(next)).toEqual([8_080, 8_280, 10_400]);
  });

  test('that no service would send is ignored', () => {
    expect(probeAt(accepted(3_600_000), [accepted(3_600_000)], looked(0))).toBe(START + 100);
  });
});

describe('The list of a job that is polled singly', () => {
  /** When the list is due for a job that was polled and listed so long after it was accepted. */
  const listAt = (askedAfter: number, lookedAfter: number) =>
    fillingLookAt([accepted(undefined, START + askedAfter)], looked(lookedAfter)) - START;

  test('comes a quarter of a second later, and half a second later once the job takes over one', () => {
    expect([listAt(500, 750), listAt(500, 751)]).toEqual([1_000, 1_251]);
  });

  test('is needless where the job may be polled within 150 ms', () => {
    expect([listAt(150, 750), listAt(151, 750)]).toEqual([Number.POSITIVE_INFINITY, 1_000]);
  });

  test('is needless where an older job may be polled within a twentieth of its age', () => {
    expect(listAt(3_180, 3_333)).toBe(Number.POSITIVE_INFINITY);
    expect(listAt(3_210, 3_333)).toBeCloseTo(4_000, -1);
  });
});

test('Nothing is polled again before two round trips have passed', () => {
  const job = accepted(undefined, START + 100);
  expect(probeAt(job, [job], looked(0, 300))).toBe(START + 700);
  expect(fillingLookAt([job], looked(0, 300))).toBe(START + 700);
});
