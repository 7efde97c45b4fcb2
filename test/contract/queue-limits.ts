import { expect, test } from 'vitest';
import type { SubmitLimits, SubmitResult } from '../../src/server/queue/port.ts';
import type { Via } from '../../src/server/store/schema/tables.ts';
import { MovableClock } from '../support/server/movable-clock.ts';
import type { TestQueue } from '../support/server/test-queue.ts';
import { generated, LIMITS, newJob } from './jobs.ts';
import { mustClaim } from './queue-steps.ts';
import type { MakeWorld } from './queue-world.ts';

const START = new MovableClock().now();

async function send(
  queue: TestQueue,
  via: Via,
  limits: Partial<SubmitLimits>,
): Promise<SubmitResult['kind']> {
  return (await queue.submit(newJob({ via }), { ...LIMITS, ...limits })).kind;
}

/** How often, how soon and how many at once. */
export function describeLimits(makeWorld: MakeWorld): void {
  test.each([
    ['minute', { perMinute: 2 }, 60_000],
    ['hour', { perHour: 2 }, 3_600_000],
  ])('No more than the %s allows is accepted in any of that length', async (_, limits, span) => {
    const { clock, open } = await makeWorld();
    const queue = await open();
    const accepted: number[] = [];
    for (let step = 0; step < 40; step++) {
      const kind = await send(queue, 'queue', limits);
      if (kind === 'queued') {
        accepted.push(clock.now());
        await queue.complete(await mustClaim(queue, 'w'), generated());
      } else expect(kind).toBe('too_fast');
      clock.forward(Math.round(span / 7) + 1);
    }
    expect(accepted.length).toBeGreaterThan(6);
    for (const [index, at] of accepted.entries())
      expect((accepted[index + 2] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThan(span);
  });

  test.each([
    [{}, 3],
    [{ perMinute: 4 }, 2],
    [{ perHour: 3 }, 1],
    [
      { slots: 2, perMinute: 100 },
      { kind: 'full', pending: 2 },
    ],
    [{ perMinute: 2 }, { kind: 'too_fast' }],
  ])('With two jobs accepted, the limits %j leave room for %j', async (limits, room) => {
    const queue = await (await makeWorld()).open();
    await send(queue, 'queue', {});
    await send(queue, 'queue', {});
    const found = await queue.findRoom({ owner: 'ann', via: 'queue' }, { ...LIMITS, ...limits });
    expect(found).toMatchObject(typeof room === 'number' ? { kind: 'room', count: room } : room);
  });

  test('What one owner spends does not count against another', async () => {
    const queue = await (await makeWorld()).open();
    await send(queue, 'queue', { perMinute: 1 });
    expect(await send(queue, 'queue', { perMinute: 1 })).toBe('too_fast');
    const bobs = await queue.submit(newJob({ owner: 'bob' }), { ...LIMITS, perMinute: 1 });
    expect(bobs.kind).toBe('queued');
  });

  test('After a job of version 1 the next one is accepted when the delay is over', async () => {
    const { clock, open } = await makeWorld();
    const queue = await open();
    const limits = { delay: 3_000 };
    expect(await send(queue, 'v1', limits)).toBe('queued');
    await queue.complete(await mustClaim(queue, 'w'), generated());
    clock.forward(2_999);
    expect(await send(queue, 'v1', limits)).toBe('too_fast');
    clock.forward(1);
    expect(await send(queue, 'v1', limits)).toBe('queued');
  });

  test('Through the queue there is no delay, and it causes none', async () => {
    const queue = await (await makeWorld()).open();
    const limits = { delay: 3_000 };
    const kinds = [];
    for (const via of ['queue', 'queue', 'v1', 'queue', 'v1'] as const)
      kinds.push(await send(queue, via, limits));
    expect(kinds).toEqual(['queued', 'queued', 'queued', 'queued', 'too_fast']);
  });

  test('An owner may have one unfinished job of version 1, and as many of the queue as there are slots', async () => {
    const queue = await (await makeWorld()).open();
    const limits = { concurrency: 2, slots: 5 };
    expect(await send(queue, 'v1', limits)).toBe('queued');
    const second = await queue.submit(newJob({ via: 'v1' }), { ...LIMITS, ...limits });
    expect(second).toMatchObject({ kind: 'busy', running: 1 });
    for (let n = 0; n < 4; n++) expect(await send(queue, 'queue', limits)).toBe('queued');
    await queue.complete(await mustClaim(queue, 'w'), generated());
    expect(await send(queue, 'v1', limits)).toBe('queued');
    expect(await send(queue, 'v1', limits)).toBe('busy');
  });

  test('Jobs in the queue do not count as under way in version 1, but take its slots', async () => {
    const queue = await (await makeWorld()).open();
    const limits = { concurrency: 1, slots: 2 };
    expect(await send(queue, 'queue', limits)).toBe('queued');
    expect(await send(queue, 'v1', limits)).toBe('queued');
    expect(await send(queue, 'queue', limits)).toBe('full');
  });

  test('Two processes accept one job by version 1 together', async () => {
    const world = await makeWorld();
    const [here, there] = [await world.open(), await world.open()];
    expect([await send(here, 'v1', {}), await send(there, 'v1', {})]).toEqual(['queued', 'busy']);
  });

  test('A refused request costs nothing: no spending, no delay, no turn', async () => {
    const queue = await (await makeWorld()).open();
    const limits = { slots: 1, perMinute: 2, delay: 3_000 };
    await send(queue, 'queue', limits);
    const before = await queue.submit(newJob(), { ...LIMITS, ...limits });
    await send(queue, 'v1', limits);
    const after = await queue.submit(newJob(), { ...LIMITS, ...limits });
    expect(after).toEqual(before);
    expect(after).toMatchObject({ kind: 'full', pending: 1 });
  });

  test.each([
    [
      'spent something in the hour',
      { isClaimed: true, later: 3_600_000, kept: { turn: 1, hour: [[Math.floor(START / 60_000), 1]] } },
    ],
    [
      'have jobs waiting ahead of others',
      { isClaimed: false, later: 3_660_001, kept: { turn: 1, spentAt: START } },
    ],
    [
      'have nothing left to remember',
      { isClaimed: true, later: 3_660_001, kept: { turn: 1, hour: [], spentAt: 0 } },
    ],
  ])('What is remembered of callers that %s', async (_, { isClaimed, later, kept }) => {
    const { clock, open } = await makeWorld();
    const queue = await open();
    await send(queue, 'queue', {});
    if (isClaimed) await queue.claim('w');
    clock.forward(later);
    await queue.prune(clock.now());
    const over = await queue.submit(newJob(), { ...LIMITS, slots: 1 });
    expect(over).toMatchObject({ kind: 'full', memory: kept });
  });
}
