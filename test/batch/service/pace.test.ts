import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Moment, Pace, type Told } from '../../../src/batch/service/pace.ts';
import type { RateLimit } from '../../../src/protocol/envelope.ts';

const HOUR = 3_600_000;
/** The middle of an hour, and of a minute. */
const EPOCH = Date.UTC(2026, 0, 1, 12, 30, 30);
const NOW: Moment = { monotonic: 1_000, epoch: EPOCH };
const RUNS = { numRuns: 300, seed: 20_251_121 };

const pace = (random = 0.5) => new Pace(() => random);

interface Limits {
  readonly next?: Partial<RateLimit['next']>;
  readonly minute?: Partial<RateLimit['limit']['minute']>;
  readonly hour?: Partial<RateLimit['limit']['minute']>;
}

function told({ next, minute, hour }: Limits): Told {
  const window = { limit: 20, remaining: 19 };
  const rateLimit: RateLimit = {
    next: { absolute: 0, relative: 0, ...next },
    delay: { millis: 0 },
    limit: { ...window, minute: { ...window, ...minute }, ...(hour && { hour: { ...window, ...hour } }) },
  };
  return { rateLimit };
}

describe('Submissions', () => {
  it('are open at the start, and after an answer that asks for nothing', () => {
    const open = pace();
    expect(open.openAt()).toBeLessThanOrEqual(0);
    open.accepted({}, NOW);
    open.accepted(told({}), NOW);
    expect(open.openAt()).toBeLessThanOrEqual(NOW.monotonic);
  });

  const waits: [what: string, limits: Limits, wait: number][] = [
    ['a pause by its length', { next: { relative: 300 } }, 300],
    [
      'a pause by its length, whatever moment it names',
      { next: { relative: 300, absolute: EPOCH + 9_000 } },
      300,
    ],
    ['a moment', { next: { absolute: EPOCH + 700 } }, 700],
    ['the end of a minute that is used up', { minute: { remaining: 0, reset: EPOCH / 1000 + 30 } }, 30_000],
    [
      'the end of an hour that is used up, a minute or not',
      {
        minute: { remaining: 0, reset: EPOCH / 1000 + 30 },
        hour: { remaining: 0, reset: EPOCH / 1000 + 1_800 },
      },
      1_800_000,
    ],
  ];
  it.each(waits)('wait for %s', (_, limits, wait) => {
    const held = pace();
    held.accepted(told(limits), NOW);
    expect(held.openAt()).toBe(NOW.monotonic + wait);
  });

  const nonsense: [what: string, limits: Limits][] = [
    ['a moment that has passed', { next: { absolute: EPOCH - 1 } }],
    ['a moment that is further away than an hour', { next: { absolute: EPOCH + HOUR + 1 } }],
    ['a moment in seconds', { next: { absolute: EPOCH / 1000 } }],
    ['the end of a minute with something left', { minute: { remaining: 1, reset: EPOCH / 1000 + 30 } }],
    ['a minute that ends in more than one', { minute: { remaining: 0, reset: EPOCH / 1000 + 61 } }],
    ['a minute that is used up and does not say when it ends', { minute: { remaining: 0 } }],
    ['the end of an hour with something left', { hour: { remaining: 1, reset: EPOCH / 1000 + 900 } }],
    ['an hour that ended', { hour: { remaining: 0, reset: EPOCH / 1000 - 1 } }],
  ];
  it.each(nonsense)('do not wait for %s', (_, limits) => {
    const open = pace();
    open.accepted(told(limits), NOW);
    expect(open.openAt()).toBe(0);
  });

  it('stay closed until the last of all moments that were asked for', () => {
    const held = pace();
    held.accepted(told({ next: { relative: 5_000 } }), NOW);
    held.accepted(told({ next: { relative: 100 } }), NOW);
    expect(held.openAt()).toBe(NOW.monotonic + 5_000);
  });

  it('are tried again after two hours, whatever an accepted one was told', () => {
    const held = pace();
    held.accepted(told({ next: { relative: 1e12 } }), NOW);
    expect(held.openAt()).toBeLessThanOrEqual(NOW.monotonic + 2 * HOUR);
  });
});

describe('A refusal', () => {
  it.each([
    [0, [250, 500, 1_000, 2_000, 4_000, 7_500, 7_500]],
    [1, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
  ])('without a hint doubles the pause up to 15 s, chance taking up to half of it (%d)', (random, pauses) => {
    const refused = pace(random);
    let { monotonic } = NOW;
    for (const pause of pauses) {
      expect(refused.refused({}, { ...NOW, monotonic })).toBe(pause);
      monotonic += pause;
      expect(refused.openAt()).toBe(monotonic);
    }
  });

  it('in a burst counts once, however many were on their way', () => {
    const refused = pace(1);
    for (let n = 0; n < 5; n++) expect(refused.refused({}, NOW)).toBe(500);
    expect(refused.refused({}, { ...NOW, monotonic: refused.openAt() })).toBe(1000);
  });

  it('after an accepted submission is the first again', () => {
    const refused = pace(1);
    for (let n = 0; n < 10; n++) refused.refused({}, NOW);
    const later = { monotonic: refused.openAt(), epoch: EPOCH };
    refused.accepted({}, later);
    expect(refused.refused({}, later)).toBe(500);
  });

  it.each([
    [0, 3_000],
    [1, 3_020],
  ])('with Retry-After is obeyed, and by chance (%d) up to 20 ms more', (random, wait) => {
    const refused = pace(random);
    const limits = told({ next: { relative: 10 } });
    expect(refused.refused({ retryAfter: 3_000, ...limits }, NOW)).toBe(wait);
    expect(refused.openAt()).toBe(NOW.monotonic + wait);
  });

  it('is by its rate limit when it has no Retry-After, or one of nothing', () => {
    const limits = told({ next: { absolute: EPOCH + 900 } });
    expect(pace(0).refused(limits, NOW)).toBe(900);
    expect(pace(0).refused({ retryAfter: 0, ...limits }, NOW)).toBe(900);
  });

  it('that asks for nothing at all still costs a pause', () => {
    expect(pace(0).refused({ retryAfter: 0 }, NOW)).toBe(250);
  });

  it('for longer than two hours is tried again then', () => {
    const refused = pace();
    refused.refused({ retryAfter: 24 * HOUR }, NOW);
    expect(refused.openAt()).toBe(NOW.monotonic + 2 * HOUR);
  });

  const hints = fc.array(fc.option(fc.integer({ min: 0, max: 24 * HOUR }), { nil: undefined }), {
    minLength: 1,
    maxLength: 8,
  });

  it('says how long it is until submissions are open again', () => {
    fc.assert(
      fc.property(hints, fc.double({ min: 0, max: 1, noNaN: true }), (retryAfters, random) => {
        const refused = pace(random);
        for (const retryAfter of retryAfters) {
          const wait = refused.refused({ retryAfter }, NOW);
          expect(wait).toBeCloseTo(refused.openAt() - NOW.monotonic, 3);
        }
      }),
      RUNS,
    );
  });

  it('never opens earlier what was closed', () => {
    fc.assert(
      fc.property(hints, (retryAfters) => {
        const refused = pace();
        let before = 0;
        for (const retryAfter of retryAfters) {
          refused.refused({ retryAfter }, NOW);
          expect(refused.openAt()).toBeGreaterThanOrEqual(before);
          before = refused.openAt();
        }
      }),
      RUNS,
    );
  });
});
