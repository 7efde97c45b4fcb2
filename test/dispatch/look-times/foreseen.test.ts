import { describe, expect, test } from 'vitest';
import { type LookState, LookTimes, type RunningJob } from '../../../src/dispatch/look-times.ts';

const LONGEST = 5_000;
/** Milliseconds within which jobs of other callers are to be seen, where some were seen before; and otherwise. */
const OTHERS_UNSEEN = 2_000;
const LONGEST_TRUST = 60_000;
const TOLD = { isReported: true };
/** Milliseconds by which two clocks may differ. */
const MARGIN = 2;

/** Five jobs took 300 ms each, according to the service. */
function experienced(): LookTimes {
  const times = new LookTimes(LONGEST);
  for (let n = 0; n < 5; n++) times.ended({ acceptedAt: 0, eta: undefined }, 300, TOLD);
  return times;
}

const wave: readonly RunningJob[] = [10, 20, 30].map((acceptedAt) => ({ acceptedAt, eta: undefined }));
const at = (now: number, changes: Partial<LookState> = {}): LookState => ({
  now,
  lastLook: 0,
  roundTrip: 5,
  isAlone: true,
  ...changes,
});

describe('Jobs that all take equally long', () => {
  test('are each polled singly when they end, without a list', () => {
    const times = experienced();
    expect(times.nextPoll(wave, at(40))).toEqual({ job: wave[0], at: 310 + MARGIN });
    expect(times.next(wave, at(40))).toBe(LONGEST_TRUST);
  });

  test('are looked up in the list every two seconds for a minute after other callers had jobs there', () => {
    const next = (othersAt: number) => experienced().next(wave, at(40, { othersAt }));
    expect([next(40), next(40 - 59_999), next(40 - 60_000)]).toEqual([
      OTHERS_UNSEEN,
      OTHERS_UNSEEN,
      LONGEST_TRUST,
    ]);
  });

  test('are polled when they end although a list for the jobs of others is due soon afterwards', () => {
    const job = { acceptedAt: 1_650, eta: undefined };
    const poll = experienced().nextPoll([job], at(1_700, { othersAt: 1_700 }));
    expect(poll).toEqual({ job, at: OTHERS_UNSEEN - 50 + MARGIN });
  });

  test('need no list while the answer to a poll is outstanding', () => {
    const asked = wave.map((job) => ({ ...job, polledAt: 335 }));
    expect(experienced().next(asked, at(370))).toBe(LONGEST_TRUST);
  });

  test('are looked up in the list when they are late, ever more rarely', () => {
    const late = wave.map((job) => ({ ...job, polledAt: 335, seenAt: 335 }));
    const times = experienced();
    expect(times.next(late, at(340))).toBe(335 + 24);
    expect(times.next(late, at(740, { lastLook: 732 }))).toBe(732 + 0.4 * (732 - 332));
  });

  test('are looked up in the list where they cannot be polled again so soon', () => {
    const asked = wave.map((job) => ({ ...job, polledAt: 100, seenAt: 100 }));
    expect(experienced().next(asked, at(110))).toBe(330 + MARGIN);
  });

  test.each([
    ['others have jobs in the queue', experienced(), { isAlone: false }],
    ['the service does not tell when they ended', withoutEnds(), {}],
    ['only few are known', few(), {}],
    ['they take 10 % more or less', uneven(), {}],
  ])('are looked up in the list when %s', (_, times, changes) => {
    expect(times.next(wave, at(40, changes))).toBeLessThan(500);
    expect(times.nextPoll(wave, at(40, changes))).toBeUndefined();
  });
});

function withoutEnds(): LookTimes {
  const times = experienced();
  times.ended({ acceptedAt: 0, eta: undefined }, 300);
  return times;
}

function few(): LookTimes {
  const times = new LookTimes(LONGEST);
  times.ended({ acceptedAt: 0, eta: undefined }, 300, TOLD);
  return times;
}

function uneven(): LookTimes {
  const times = experienced();
  for (const duration of [270, 270, 330, 330]) times.ended({ acceptedAt: 0, eta: undefined }, duration, TOLD);
  return times;
}

describe('An eta', () => {
  test('that counts from a moment before the job was accepted is corrected by the fastest job', () => {
    const times = new LookTimes(LONGEST);
    for (const eta of [1_500, 2_100, 900, 1_900, 700])
      times.ended({ acceptedAt: 0, eta }, Math.max(eta, 1_500), TOLD);
    const job = (eta: number): RunningJob => ({ acceptedAt: 0, eta });
    const ends = [700, 1_500, 2_300].map((eta) => times.nextPoll([job(eta)], at(0))?.at);
    expect(ends).toEqual([1_500 + MARGIN, 1_500 + MARGIN, 2_300 + MARGIN]);
  });

  test('of a usual length is waited for before the first poll of all', () => {
    const ask = new LookTimes(LONGEST).nextPoll([{ acceptedAt: 10, eta: 1_500 }], at(20));
    expect(ask?.at).toBe(1_510);
  });
});
