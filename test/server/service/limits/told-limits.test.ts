import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../../src/protocol/errors.ts';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { rateLimitOf, withLimits } from '../../../../src/server/service/limits.ts';
import { PLANS } from '../../../../src/server/service/plans.ts';
import { Refusal } from '../../../../src/server/service/refusal.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

const PLAN = { ...PLANS.free, burst: 1 };
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

test('A refusal tells the limits of its caller, and keeps its own details', async () => {
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
  'Told without limits: %s',
  async (error) => {
    expect(await withLimits(await openContext(), error, STRANGER)).toBe(error);
  },
);

test('Limits that a refusal tells already stay, and a store that fails takes no refusal away', async () => {
  const context = await openContext();
  const rateLimit = rateLimitOf(NOTHING, STRANGER, 5);
  const told = new Refusal('anonymous_limit', { rateLimit });
  expect(await withLimits(context, told, STRANGER)).toBe(told);
  await context.db.destroy();
  const refusal = new Refusal('invalid_image');
  expect(await withLimits(context, refusal, STRANGER)).toBe(refusal);
});
