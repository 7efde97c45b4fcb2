import { expect, test } from 'vitest';
import type { TestQueue } from '../support/server/test-queue.ts';
import { generated, LIMITS, newJob } from './jobs.ts';
import { claimAll, fill, mustClaim } from './queue-steps.ts';
import type { MakeWorld } from './queue-world.ts';

async function submit(
  queue: TestQueue,
  owner: string,
  { concurrency, burst = 0, jobs }: { concurrency: number; burst?: number; jobs: number },
) {
  for (let n = 1; n <= jobs; n++)
    await queue.submit(newJob({ owner, request: `${owner}${n}` }), { ...LIMITS, concurrency, burst });
}

/** How many of an owner's jobs are processed at the same time. */
export function describeConcurrency(makeWorld: MakeWorld): void {
  test.each([1, 2, 4])('No more than %i of an owner are claimed at the same time', async (concurrency) => {
    const queue = await (await makeWorld()).open();
    await submit(queue, 'ann', { concurrency, jobs: 5 });
    const first = await mustClaim(queue, 'w');
    expect([first.job.request_key, ...(await claimAll(queue))]).toHaveLength(concurrency);
    await queue.complete(first, generated());
    expect(await claimAll(queue)).toEqual([`ann${concurrency + 1}`]);
  });

  test.each(['complete', 'fail', 'postpone', 'release'] as const)(
    'To %s a job makes room for the next one',
    async (how) => {
      const queue = await (await makeWorld()).open();
      await submit(queue, 'ann', { concurrency: 1, jobs: 2 });
      const lease = await mustClaim(queue, 'w');
      expect(await queue.claim('w')).toBeUndefined();
      const failure = { code: 'internal_error', message: 'Oh.', passing: how === 'postpone' };
      if (how === 'complete') await queue.complete(lease, generated());
      else if (how === 'release') await queue.release(lease);
      else await queue.fail(lease, failure);
      expect(await queue.claim('w')).toBeDefined();
      expect(await queue.claim('w')).toBeUndefined();
    },
  );

  test('A worker that is gone holds none of its owner back', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    await submit(queue, 'ann', { concurrency: 1, jobs: 1 });
    await queue.claim('another-machine/1/gone#0');
    world.clock.forward(world.times.lease + 1);
    await queue.recover();
    expect(await queue.claim('w')).toBeDefined();
  });

  test('Five slow jobs of one owner do not delay the jobs of another', async () => {
    const queue = await (await makeWorld()).open();
    await submit(queue, 'ann', { concurrency: 1, jobs: 5 });
    await mustClaim(queue, 'slow');
    await submit(queue, 'bob', { concurrency: 1, jobs: 3 });
    for (let n = 1; n <= 3; n++) {
      const lease = await mustClaim(queue, 'w');
      expect(lease.job.request_key).toBe(`bob${n}`);
      await queue.complete(lease, generated());
    }
    expect(await queue.claim('w')).toBeUndefined();
  });

  test('Two processes keep to it together', async () => {
    const world = await makeWorld();
    const [here, there] = [await world.open(), await world.open()];
    await submit(here, 'ann', { concurrency: 3, jobs: 5 });
    const claimed: (string | undefined)[] = [];
    for (const queue of [here, there, here, there, here])
      claimed.push((await queue.claim('w'))?.job.request_key);
    expect(claimed).toEqual(['ann1', 'ann2', 'ann3', undefined, undefined]);
  });

  test('An owner gets as many idle workers as its burst while nobody else waits', async () => {
    const queue = await (await makeWorld()).open();
    await submit(queue, 'ann', { concurrency: 1, burst: 3, jobs: 5 });
    const first = await mustClaim(queue, 'w');
    expect(await claimAll(queue)).toEqual(['ann2', 'ann3']);
    expect(await queue.nextRunAt()).toBeUndefined();
    await queue.complete(first, generated());
    expect(await queue.nextRunAt()).toBeDefined();
    expect(await claimAll(queue)).toEqual(['ann4']);
  });

  test('Concurrency applies while others wait: owners below it go first, whatever the turns', async () => {
    const queue = await (await makeWorld()).open();
    await submit(queue, 'ann', { concurrency: 1, burst: 5, jobs: 5 });
    const leases = [await mustClaim(queue, 'w'), await mustClaim(queue, 'w'), await mustClaim(queue, 'w')];
    await submit(queue, 'bob', { concurrency: 2, burst: 2, jobs: 3 });
    for (const lease of leases) await queue.complete(lease, generated());
    expect(await claimAll(queue)).toEqual(['bob1', 'ann4', 'bob2', 'ann5']);
  });

  test('Owners who are all at their concurrency share idle workers by turns', async () => {
    const queue = await (await makeWorld()).open();
    await submit(queue, 'ann', { concurrency: 1, burst: 3, jobs: 4 });
    await submit(queue, 'bob', { concurrency: 1, burst: 3, jobs: 4 });
    expect(await claimAll(queue)).toEqual(['ann1', 'bob1', 'ann2', 'bob2', 'ann3', 'bob3']);
  });

  test("A job that waits for its owner's other jobs has no expected time until one of them ends", async () => {
    const world = await makeWorld();
    const queue = await world.open();
    await submit(queue, 'ann', { concurrency: 1, jobs: 2 });
    const lease = await mustClaim(queue, 'w');
    expect(await queue.nextRunAt()).toBeUndefined();
    await fill(queue, 'bob', ['b']);
    expect(await queue.nextRunAt()).toBe(world.clock.now());
    await mustClaim(queue, 'w');
    expect(await queue.nextRunAt()).toBeUndefined();
    await queue.complete(lease, generated());
    expect(await queue.nextRunAt()).toBe(world.clock.now());
  });
}
