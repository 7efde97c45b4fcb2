import { expect, test } from 'vitest';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { rateLimitOf } from '../../../../src/server/service/limits.ts';
import { PLANS } from '../../../../src/server/service/plans.ts';
import type { CallerMemory } from '../../../../src/server/store/callers.ts';

/** A minute and an hour begin. */
const NOW = Date.UTC(2026, 0, 1, 12);
const PLAN = { ...PLANS.free, burst: 1, perMinute: 3, perHour: 10, delay: 1_500 };
const CALLER: Caller = { kind: 'anonymous', network: '192.0.2.1', owner: 'ann', plan: PLAN, page: undefined };
const NOTHING: CallerMemory = { owner: 'ann', turn: 0, spentAt: 0, generatedAt: 0, minute: [], hour: [] };

test('A caller who has spent nothing has both windows in full', () => {
  const window = { used: 0, reset: NOW / 1000 };
  const minute = { ...window, limit: 3, remaining: 3 };
  expect(rateLimitOf(NOTHING, CALLER, NOW)).toEqual({
    next: { absolute: NOW, relative: 0 },
    delay: { millis: 0, seconds: 0 },
    limit: { ...minute, minute, hour: { ...window, limit: 10, remaining: 10 } },
  });
});

test('Spent units are missing from the rest until they leave the window, in whole seconds', () => {
  const seconds = NOW / 1000;
  const memory = {
    ...NOTHING,
    minute: [
      [seconds - 2, 3],
      [seconds, 1],
    ],
    hour: [[NOW / 60_000, 4]],
  } as const;
  const at = NOW + 500;
  const { next, limit } = rateLimitOf(memory, CALLER, at);
  expect(limit.minute).toEqual({ limit: 3, remaining: 0, used: 4, reset: seconds + 61 });
  expect(limit.hour).toEqual({ limit: 10, remaining: 6, used: 4, reset: seconds + 3_660 });
  expect(next).toEqual({ absolute: NOW + 59_000, relative: 58_500 });
});

test('Only version 1 has a delay, given in milliseconds and in whole seconds', () => {
  const memory = { ...NOTHING, generatedAt: NOW - 500 };
  const { next, delay } = rateLimitOf(memory, CALLER, NOW, 'v1');
  expect(delay).toEqual({ millis: 1_500, seconds: 2 });
  expect(next).toEqual({ absolute: NOW + 1_000, relative: 1_000 });
  expect(rateLimitOf(memory, CALLER, NOW, 'queue').next.relative).toBe(0);
});
