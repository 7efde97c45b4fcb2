import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateSeconds, type Limits, limitsOf } from '../../../src/dispatch/service-facts.ts';

import type { Me } from '../../../src/protocol/account.ts';

const RUNS = { numRuns: 500, seed: 20_251_121 };

function limits(some: Partial<Limits> = {}): Limits {
  return {
    perMinute: undefined,
    perHour: undefined,
    concurrency: undefined,
    slots: 5,
    service: 2,
    ...some,
  };
}

describe('The minimum duration of a batch', () => {
  const cases: [what: string, count: number, limits: Partial<Limits>, seconds: number][] = [
    ['nothing to do', 0, { perMinute: 1 }, 0],
    ['a single skin', 1, {}, 2],
    ['as many as there are slots', 5, {}, 2],
    ['one more than that', 6, {}, 4],
    ['fewer that are worked on at once than slots', 6, { concurrency: 2 }, 6],
    ['more that are worked on at once than slots', 6, { concurrency: 50 }, 4],
    ['a plan that lets none be worked on, which none does', 6, { concurrency: 0 }, 4],
    ['no slot at all, which is one', 3, { slots: 0 }, 6],
    ["a minute's worth", 20, { perMinute: 20 }, 8],
    ['one a minute, as little as a limit can be', 3, { perMinute: 1 }, 122],
    ["one more than a minute's worth", 21, { perMinute: 20 }, 62],
    ["several minutes' worth", 100, { perMinute: 20 }, 242],
    ["an hour's worth that goes out in minutes", 100, { perMinute: 20, perHour: 100 }, 242],
    ["one more than an hour's worth", 101, { perMinute: 20, perHour: 100 }, 3_602],
    ["several hours' worth", 1_001, { perHour: 500 }, 7_202],
    ['limits of nothing, which are none', 100, { perMinute: 0, perHour: -1 }, 40],
  ];
  test.each(cases)('for %s (%i, %j) is %d s', (_, count, some, seconds) => {
    expect(estimateSeconds(count, limits(some))).toBe(seconds);
  });

  const whole = (max: number) => fc.integer({ min: 1, max });
  const anyLimits = fc
    .record({
      perMinute: whole(100),
      perHour: whole(1_000),
      concurrency: whole(20),
      slots: whole(20),
    })
    .map(limits);

  test('is never less for more skins, and never less than for one', () => {
    fc.assert(
      fc.property(whole(10_000), whole(100), anyLimits, (count, more, some) => {
        const seconds = estimateSeconds(count, some);
        expect(seconds).toBeGreaterThanOrEqual(some.service);
        expect(estimateSeconds(count + more, some)).toBeGreaterThanOrEqual(seconds);
      }),
      RUNS,
    );
  });

  test('is never less with a limit than without', () => {
    const limit = fc.constantFrom('perMinute' as const, 'perHour' as const, 'concurrency' as const);
    fc.assert(
      fc.property(whole(10_000), anyLimits, limit, (count, some, name) => {
        const without = estimateSeconds(count, { ...some, [name]: undefined });
        expect(estimateSeconds(count, some)).toBeGreaterThanOrEqual(without);
      }),
      RUNS,
    );
  });
});

describe('The limits of a caller', () => {
  const me = (grants: object) => ({ grants }) as Me;

  test.each([
    ['the burst', { burst: 3, concurrency: 5 }, 3],
    ['no burst but a concurrency', { concurrency: 5 }, 5],
    ['neither', {}, undefined],
  ])('let as many jobs be processed at once as they name: %s', (_, grants, concurrency) => {
    expect(limitsOf(me(grants), 2, 'https://skins.example.org')).toMatchObject({ concurrency, slots: 2 });
  });

  test('also come with submissions', () => {
    const found = limitsOf(me({ per_minute: 60, per_hour: 900 }), 2, 'https://skins.example.org');
    expect(found).toMatchObject({ perMinute: 60, perHour: 900 });
  });

  test.each([
    ['embedded', 0.006],
    ['https://skins.example.org', 0.006],
    ['https://mineskin.org.example.org', 0.006],
    ['https://api.mineskin.org', 1.5],
    ['https://mineskin.org/', 1.5],
  ])('allow for more than a second per skin at the hosted service, and %s %d s', (service, seconds) => {
    expect(limitsOf(undefined, 2, service).service).toBe(seconds);
  });
});
