import { expect, test } from 'vitest';
import type { RateLimit } from '../../../../src/protocol/envelope.ts';
import type { ErrorCode } from '../../../../src/protocol/errors.ts';
import type { Caller, CallerKey } from '../../../../src/server/service/callers.ts';
import {
  rateLimitOf,
  refusalWithPace,
  viaFor,
  waitAfterNew,
  withLimits,
} from '../../../../src/server/service/limits.ts';
import { PLANS } from '../../../../src/server/service/plans.ts';
import { Refusal } from '../../../../src/server/service/refusal.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

const PLAN = { ...PLANS.free, burst: 1, delay: 1_500 };
const STRANGER: Caller = {
  kind: 'anonymous',
  network: '192.0.2.1',
  owner: 'address:a',
  plan: PLAN,
  page: undefined,
};
const NOTHING = { owner: 'address:a', turn: 0, spentAt: 0, generatedAt: 0, minute: [], hour: [] };

async function openContext() {
  const { db } = await openOwnStore(await ownFolder());
  return { db, clock: new MovableClock() };
}

test('A refusal contains the limits of its caller, and keeps its own details', async () => {
  const context = await openContext();
  const details = { message: 'It has no pixels.', status: 422, links: { job: '/v2/queue/1' }, cause: 'x' };
  const told = await withLimits(context, new Refusal('invalid_image', details), STRANGER);
  const rateLimit = rateLimitOf(NOTHING, STRANGER, context.clock.now());
  expect(told).toMatchObject({ code: 'invalid_image', message: details.message, cause: 'x' });
  expect((told as Refusal).details).toEqual({ ...details, rateLimit });
});

const UNTOLD: readonly ErrorCode[] = [
  'validation_error',
  'invalid_api_key',
  'internal_error',
  'service_unavailable',
  'store_unreachable',
  'rate_limit',
];

test.each([...UNTOLD.map((code) => new Refusal(code)), new Error('no refusal')])(
  'No limits are added to %s',
  async (error) => {
    expect(await withLimits(await openContext(), error, STRANGER)).toBe(error);
  },
);

test('Limits already in a refusal stay, and a failing store does not replace the refusal', async () => {
  const context = await openContext();
  const rateLimit = rateLimitOf(NOTHING, STRANGER, 5);
  const told = new Refusal('anonymous_limit', { rateLimit });
  expect(await withLimits(context, told, STRANGER)).toBe(told);
  await context.db.destroy();
  const refusal = new Refusal('invalid_image');
  expect(await withLimits(context, refusal, STRANGER)).toBe(refusal);
});

function user(v2Compat: boolean | undefined): Caller {
  const whole = {
    kind: 'user',
    owner: 'user:ann',
    plan: PLAN,
    id: 'ann',
    name: 'Ann',
    isOperator: false,
  } as const;
  return v2Compat === undefined ? whole : { ...whole, key: { v2Compat } as CallerKey };
}

test.each([
  ['anyone', STRANGER, false, 'v1'],
  ['anyone who asks for the queue', STRANGER, true, 'queue'],
  ['a key that is set so', user(true), false, 'queue'],
  ['a key that is not', user(false), false, 'v1'],
  ['a key that is not, with a request that asks for it', user(false), true, 'queue'],
  ['the owner of an embedded service, who has no key', user(undefined), false, 'v1'],
])('Requests of version 1 have the right kind of limits for %s', (_, caller, isAskedFor, via) => {
  expect(viaFor(caller, isAskedFor)).toBe(via);
});

test('After a new skin, the answer has the whole delay, or the wait for a window if that is longer', () => {
  const told = (relative: number, millis: number) =>
    waitAfterNew({ next: { absolute: 0, relative }, delay: { millis } } as RateLimit);
  expect([told(200, 1_500), told(60_000, 1_500)]).toEqual([1_500, 60_000]);
});

/** A refusal of version 1 as its caller sees it. */
async function toldTo(refusal: Refusal) {
  const context = await openContext();
  const headers = { 'x-wait': '1' };
  const request = { caller: STRANGER, via: 'v1', headers } as const;
  return { ...(await refusalWithPace(context, refusal, request)), now: context.clock.now() };
}

test('A refusal of version 1 tells the limits of its caller, and keeps its own details', async () => {
  const notes = [{ code: 'invalid_image', message: 'It has no pixels.' }];
  const { code, details, now } = await toldTo(new Refusal('invalid_image', { notes, status: 422 }));
  expect([code, details.notes, details.status, details.headers]).toEqual([
    'invalid_image',
    notes,
    422,
    { 'x-wait': '1' },
  ]);
  expect(details.rateLimit).toEqual(rateLimitOf(NOTHING, STRANGER, now, 'v1'));
});

test('A refusal that already contains limits keeps them, with its headers', async () => {
  const rateLimit = rateLimitOf(NOTHING, STRANGER, 5, 'queue');
  const { details } = await toldTo(new Refusal('rate_limit', { rateLimit, headers: { 'retry-after': '2' } }));
  expect(details.rateLimit).toBe(rateLimit);
  expect(details.headers).toEqual({ 'retry-after': '2', 'x-wait': '1' });
});

test.each(['internal_error', 'service_unavailable'] as const)(
  'After %s the store is not queried for limits',
  async (code) => {
    const { details } = await toldTo(new Refusal(code));
    expect([details.rateLimit, details.headers]).toEqual([undefined, { 'x-wait': '1' }]);
  },
);
