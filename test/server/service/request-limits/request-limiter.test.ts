import { expect, test } from 'vitest';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { PLANS } from '../../../../src/server/service/plans.ts';
import type { Refusal } from '../../../../src/server/service/refusal.ts';
import { REQUEST_LIMITS, RequestLimiter } from '../../../../src/server/service/request-limits.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';

const PER_MINUTE = 6;
const AT_ONCE = 2;

function makeWorld(limits = { requestsPerMinute: PER_MINUTE, requestsAtOnce: AT_ONCE }) {
  const clock = new MovableClock();
  return { clock, limiter: new RequestLimiter(limits, clock) };
}

function stranger(owner = 'address:a'): Caller {
  return {
    kind: 'anonymous',
    network: '192.0.2.1',
    owner,
    plan: { ...PLANS.anonymous, burst: 1 },
    page: undefined,
  };
}

const USER = { ...stranger('user:ann'), kind: 'user' } as unknown as Caller;

/** The refusal's code and wait; undefined: there was none. */
function refusalOf(work: () => unknown): [code: unknown, wait: unknown] | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const { code, details } = error as {
      code: string;
      details: { rateLimit?: { next: { relative: number } } };
    };
    return [code, details.rateLimit?.next.relative];
  }
}

test('An address without a key may send a limited number of requests at once, and learns when the next is allowed', () => {
  const { clock, limiter } = makeWorld();
  const enter = () => limiter.enter(stranger())();
  for (let n = 0; n < PER_MINUTE; n++) expect(refusalOf(enter)).toBeUndefined();
  expect(refusalOf(enter)).toEqual(['rate_limit', 10_000]);
  clock.forward(9_999);
  expect(refusalOf(enter)).toEqual(['rate_limit', 1_000]);
  clock.forward(1);
  expect(refusalOf(enter)).toBeUndefined();
  expect(refusalOf(enter)).toEqual(['rate_limit', 10_000]);
  clock.forward(3_600_000);
  for (let n = 0; n < PER_MINUTE; n++) expect(refusalOf(enter)).toBeUndefined();
  expect(refusalOf(enter)).toEqual(['rate_limit', 10_000]);
});

test('By default, an address without a key may send 6,000 requests in a minute', () => {
  const { limiter } = makeWorld(REQUEST_LIMITS);
  for (let n = 0; n < 6_000; n++) limiter.enter(stranger())();
  expect(refusalOf(() => limiter.enter(stranger()))).toEqual(['rate_limit', 1_000]);
});

test('Requests that were refused before they were admitted count as well', () => {
  const { limiter } = makeWorld();
  for (let n = 0; n < PER_MINUTE; n++) limiter.count(stranger());
  expect(refusalOf(() => limiter.enter(stranger()))).toEqual(['rate_limit', 10_000]);
  expect(refusalOf(() => limiter.enter(stranger('address:b')))).toBeUndefined();
});

test('The number of simultaneous requests of an address is limited', () => {
  const { limiter } = makeWorld();
  const [leave] = [limiter.enter(stranger()), limiter.enter(stranger())];
  expect(refusalOf(() => limiter.enter(stranger()))).toEqual(['concurrency_limit', 1_000]);
  expect(refusalOf(() => limiter.enter(stranger('address:b')))).toBeUndefined();
  leave();
  expect(refusalOf(() => limiter.enter(stranger()))).toBeUndefined();
});

test('A user has no rate limit, but at most 256 requests under way', () => {
  const { limiter } = makeWorld();
  const leave = Array.from({ length: 256 }, () => limiter.enter(USER));
  expect(refusalOf(() => limiter.enter(USER))).toEqual(['concurrency_limit', 1_000]);
  leave[0]?.();
  expect(refusalOf(() => limiter.enter(USER))).toBeUndefined();
});

test('All addresses together have no more than 500 requests under way, and users are not among them', () => {
  const { limiter } = makeWorld();
  limiter.enter(USER)();
  const leave = Array.from({ length: 500 }, (_, n) => limiter.enter(stranger(`address:${n}`)));
  expect(refusalOf(() => limiter.enter(stranger('address:more')))).toEqual(['concurrency_limit', 1_000]);
  expect(refusalOf(() => limiter.enter(USER))).toBeUndefined();
  leave[0]?.();
  expect(refusalOf(() => limiter.enter(stranger('address:more')))).toBeUndefined();
});

test('Only callers without a request for a minute are forgotten, out of ten thousand', () => {
  const { clock, limiter } = makeWorld();
  const leave = Array.from({ length: AT_ONCE }, () => limiter.enter(stranger('address:busy')));
  for (let n = 0; n < PER_MINUTE; n++) limiter.count(stranger('address:spent'));
  for (let n = 0; n < 10_000; n++) limiter.count(stranger(`address:other ${n}`));
  expect(refusalOf(() => limiter.count(stranger('address:spent')))).toEqual(['rate_limit', 10_000]);
  clock.forward(60_000);
  for (let n = 0; n < 10_000; n++) limiter.count(stranger(`address:late ${n}`)); // twice as many: looked through again
  expect(refusalOf(() => limiter.enter(stranger('address:busy')))).toEqual(['concurrency_limit', 1_000]);
  for (const done of leave) done();
});

test('A refusal tells when the next request may come, by the clock and from now', () => {
  const { clock, limiter } = makeWorld({ requestsPerMinute: 60, requestsAtOnce: 1 });
  limiter.enter(stranger());
  try {
    limiter.enter(stranger());
    expect.unreachable();
  } catch (error) {
    const { next } = (error as Refusal).details.rateLimit!;
    expect(next).toEqual({ absolute: clock.now() + 1_000, relative: 1_000 });
  }
});
