import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CountedSubmission, LimitWindow, RetryAdvice } from '../../../src/client/rate-limits.ts';
import { type ClockReading, Pace } from '../../../src/dispatch/limits.ts';
import type { RateLimit } from '../../../src/protocol/envelope.ts';

const HOUR = 3_600_000;
/** The middle of an hour, and of a minute. */
const EPOCH = Date.UTC(2026, 0, 1, 12, 30, 30);
const NOW: ClockReading = { monotonic: 1_000, epoch: EPOCH };
const RUNS = { numRuns: 300, seed: 20_251_121 };

const pace = (random = 0.5) => new Pace(() => random);

const sentNow = (): CountedSubmission => ({ at: NOW.monotonic, answeredAt: undefined });

interface Limits {
  readonly next?: Partial<RateLimit['next']>;
  readonly minute?: Partial<RateLimit['limit']['minute']>;
  readonly hour?: Partial<RateLimit['limit']['minute']>;
}

function told({ next, minute, hour }: Limits): RetryAdvice {
  const window = { limit: 20, remaining: 19 };
  const rateLimit: RateLimit = {
    next: { relative: 0, ...next } as RateLimit['next'],
    delay: { millis: 0 },
    limit: { ...window, minute: { ...window, ...minute }, ...(hour && { hour: { ...window, ...hour } }) },
  };
  return { rateLimit };
}

describe('Submissions', () => {
  test('are open at the start, and after an answer that asks for nothing', () => {
    const open = pace();
    expect([open.openAt(0), open.left(0)]).toEqual([0, Number.POSITIVE_INFINITY]);
    for (const limits of [{}, told({})]) open.accepted(limits, NOW, open.sent(NOW.monotonic));
    expect(open.openAt(NOW.monotonic)).toBeLessThanOrEqual(NOW.monotonic);
  });

  test('ignore the time of the next request in an accepted answer, because the queue has no fixed delay', () => {
    const open = pace();
    const next = { relative: 3_000, absolute: EPOCH + 3_000 };
    open.accepted(told({ next }), NOW, open.sent(NOW.monotonic));
    expect(open.left(NOW.monotonic)).toBeGreaterThan(0);
  });

  test('report the windows that their answers name', () => {
    const windows: (readonly LimitWindow[])[] = [];
    const heard = new Pace(
      () => 0.5,
      (named) => void windows.push(named),
    );
    heard.accepted(told({ hour: { limit: 100, remaining: 7 } }), NOW, heard.sent(NOW.monotonic));
    expect(windows).toEqual([
      expect.arrayContaining([expect.objectContaining({ limit: 100, remaining: 7 })]),
    ]);
  });

  test('that are withdrawn do not count in a window', () => {
    const held = pace();
    held.usedElsewhere([{ span: 60_000, limit: 20, remaining: 5, endsIn: 9_000 }], NOW.monotonic);
    const sent = held.sent(NOW.monotonic);
    expect(held.left(NOW.monotonic)).toBe(4);
    held.withdrawn(sent);
    expect(held.left(NOW.monotonic)).toBe(5);
  });

  test('wait for the end of a window that has just begun, which the service gives in whole seconds', () => {
    const held = pace();
    const minute = { remaining: 0, reset: EPOCH / 1_000 + 61 };
    held.accepted(told({ minute }), NOW, held.sent(NOW.monotonic));
    expect(held.openAt(NOW.monotonic)).toBe(NOW.monotonic + 61_020);
  });

  test('that used a window up wait for its end', () => {
    const held = pace();
    held.accepted(
      told({ minute: { remaining: 0, reset: EPOCH / 1000 + 30 } }),
      NOW,
      held.sent(NOW.monotonic),
    );
    expect([held.left(NOW.monotonic), held.openAt(NOW.monotonic)]).toEqual([0, NOW.monotonic + 30_020]);
    expect(held.left(NOW.monotonic + 30_020)).toBe(20);
  });

  test('are counted against what remained when they were sent together', () => {
    const held = pace();
    const burst = [1, 2, 3].map(() => held.sent(NOW.monotonic));
    const minute = { remaining: 4, reset: EPOCH / 1000 + 30 };
    for (const sent of burst) held.accepted(told({ minute }), NOW, sent);
    expect(held.left(NOW.monotonic)).toBe(2);
  });
});

test('A submission that failed is no longer in flight when its window ends', () => {
  const held = pace();
  held.usedElsewhere([{ span: 60_000, limit: 20, remaining: 5, endsIn: 9_000 }], NOW.monotonic);
  const [failed] = [held.sent(NOW.monotonic), held.sent(NOW.monotonic)];
  held.failed(NOW.monotonic, failed);
  expect(held.left(NOW.monotonic)).toBe(3);
  expect(held.left(NOW.monotonic + 9_020)).toBe(19);
});

describe('A refusal', () => {
  test('closes submissions until its pause is over', () => {
    const refused = pace();
    refused.refused({ retryAfter: 3_000 }, NOW, refused.sent(NOW.monotonic));
    const openAt = refused.openAt(NOW.monotonic);
    expect([refused.left(openAt - 1), refused.left(openAt)]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  test('reports the windows that it names', () => {
    const refused = pace(0);
    const minute = { remaining: 0, reset: EPOCH / 1_000 + 30 };
    refused.refused(told({ minute }), NOW, refused.sent(NOW.monotonic));
    expect(refused.openAt(NOW.monotonic)).toBe(NOW.monotonic + 30_020);
  });

  test('counts even after an acceptance that did not end the pause', () => {
    const refused = pace(1);
    refused.refused({ retryAfter: 10_000 }, NOW, sentNow());
    refused.accepted({}, NOW, sentNow());
    refused.refused({}, { ...NOW, monotonic: NOW.monotonic + 1_000 }, sentNow());
    const monotonic = refused.openAt(NOW.monotonic);
    expect(refused.refused({}, { ...NOW, monotonic }, sentNow())).toBe(1_000);
  });

  test.each([
    [0, [250, 500, 1_000, 2_000, 4_000, 7_500, 7_500]],
    [1, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
  ])('without a hint doubles the pause up to 15 s, randomly up to half shorter (%d)', (random, pauses) => {
    const refused = pace(random);
    let { monotonic } = NOW;
    for (const pause of pauses) {
      expect(refused.refused({}, { ...NOW, monotonic }, sentNow())).toBe(pause);
      monotonic += pause;
      expect(refused.openAt(NOW.monotonic)).toBe(monotonic);
    }
  });

  test('in a burst counts once, however many were on their way', () => {
    const refused = pace(1);
    for (let n = 0; n < 5; n++) expect(refused.refused({}, NOW, sentNow())).toBe(500);
    expect(refused.refused({}, { ...NOW, monotonic: refused.openAt(NOW.monotonic) }, sentNow())).toBe(1000);
  });

  test('after an accepted submission counts as the first again', () => {
    const refused = pace(1);
    for (let n = 0; n < 10; n++) refused.refused({}, NOW, sentNow());
    const later = { monotonic: refused.openAt(NOW.monotonic), epoch: EPOCH };
    refused.accepted({}, later, sentNow());
    expect(refused.refused({}, later, sentNow())).toBe(500);
  });

  test.each([
    [0, 3_000],
    [1, 3_020],
  ])('with Retry-After is obeyed, with up to 20 ms more at random (%d)', (random, wait) => {
    const refused = pace(random);
    const limits = told({ next: { relative: 10 } });
    expect(refused.refused({ retryAfter: 3_000, ...limits }, NOW, sentNow())).toBe(wait);
    expect(refused.openAt(NOW.monotonic)).toBe(NOW.monotonic + wait);
  });

  test('follows its rate limit when Retry-After is missing or zero', () => {
    const limits = told({ next: { absolute: EPOCH + 900, relative: undefined as never } });
    expect(pace(0).refused(limits, NOW, sentNow())).toBe(900);
    expect(pace(0).refused({ retryAfter: 0, ...limits }, NOW, sentNow())).toBe(900);
  });

  test('that names no time still causes a pause', () => {
    expect(pace(0).refused({ retryAfter: 0 }, NOW, sentNow())).toBe(250);
  });

  test('for longer than two hours is tried again after two hours', () => {
    const refused = pace();
    refused.refused({ retryAfter: 24 * HOUR }, NOW, sentNow());
    expect(refused.openAt(NOW.monotonic)).toBe(NOW.monotonic + 2 * HOUR);
  });

  const hints = fc.array(fc.option(fc.integer({ min: 0, max: 2 * HOUR - 20 }), { nil: undefined }), {
    minLength: 1,
    maxLength: 8,
  });

  test('says how long it is until submissions are open again', () => {
    fc.assert(
      fc.property(hints, fc.double({ min: 0, max: 1, noNaN: true }), (retryAfters, random) => {
        const refused = pace(random);
        for (const retryAfter of retryAfters) {
          const wait = refused.refused({ retryAfter }, NOW, sentNow());
          expect(wait).toBeCloseTo(refused.openAt(NOW.monotonic) - NOW.monotonic, 3);
        }
      }),
      RUNS,
    );
  });

  test('never shortens a pause', () => {
    fc.assert(
      fc.property(hints, (retryAfters) => {
        const refused = pace();
        let before = 0;
        for (const retryAfter of retryAfters) {
          refused.refused({ retryAfter }, NOW, sentNow());
          expect(refused.openAt(NOW.monotonic)).toBeGreaterThanOrEqual(before);
          before = refused.openAt(NOW.monotonic);
        }
      }),
      RUNS,
    );
  });
});
