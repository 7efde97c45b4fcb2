import { expect, test } from 'vitest';
import type { SubmitLimits } from '../../src/server/queue/port.ts';
import type { TestQueue } from '../support/server/test-queue.ts';
import { sampled } from '../support/setup/extent.ts';
import { generated, LIMITS, newJob } from './jobs.ts';
import { claimAll, fill, mustClaim } from './queue-steps.ts';
import type { MakeWorld } from './queue-world.ts';

/** One worker serves owners that have `waiting` jobs in the queue at all times; how often each had its turn. */
async function serve(
  queue: TestQueue,
  { owners, claims }: { owners: Record<string, Partial<SubmitLimits>>; claims: number },
): Promise<Record<string, number>> {
  const send = async (owner: string) =>
    await queue.submit(newJob({ owner }), { ...LIMITS, ...owners[owner] });
  for (const owner of Object.keys(owners)) for (let n = 0; n < LIMITS.slots; n++) await send(owner);
  const served: Record<string, number> = {};
  for (let n = 0; n < claims; n++) {
    const lease = await mustClaim(queue, 'w');
    const { owner } = lease.job;
    served[owner] = (served[owner] ?? 0) + 1;
    await queue.complete(lease, generated());
    expect(await send(owner)).toMatchObject({ kind: 'queued' });
  }
  return served;
}

/** Whose turn it is. */
export function describeTurns(makeWorld: MakeWorld): void {
  const proportions = [
    [
      { ann: { priority: 1 }, bob: { priority: 1 } },
      { ann: 20, bob: 20 },
    ],
    [
      { ann: { priority: 2 }, bob: { priority: 6 } },
      { ann: 10, bob: 30 },
    ],
    [
      { ann: { priority: 12 }, bob: { priority: 3 }, cid: { priority: 1 } },
      { ann: 36, bob: 9, cid: 3 },
    ],
  ] as const;
  test.each(sampled(proportions, 3, 2))(
    'Owners that all have jobs waiting are each served in the proportion of their priority: %j',
    async (owners, shares) => {
      const queue = await (await makeWorld()).open();
      const claims = Object.values<number>(shares).reduce((all, one) => all + one);
      const served = await serve(queue, { owners, claims });
      for (const [owner, share] of Object.entries<number>(shares))
        expect(Math.abs((served[owner] ?? 0) - share), `${owner} of ${JSON.stringify(served)}`).toBeLessThan(
          2,
        );
    },
  );

  test('Jobs of equal owners are claimed by turns, and the jobs of one owner in their order', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a1', 'a2', 'a3']);
    await fill(queue, 'bob', ['b1', 'b2']);
    expect(await claimAll(queue)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('An owner that was idle has saved nothing up', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a0']);
    await queue.complete(await mustClaim(queue, 'w'), generated());
    await serve(queue, { owners: { bob: {} }, claims: 12 });
    await fill(queue, 'ann', ['a1', 'a2', 'a3']);
    const next = (await claimAll(queue)).map((request) => (/^a\d$/.test(request) ? 'ann' : 'bob'));
    expect(next.slice(0, 6)).toEqual(['ann', 'bob', 'ann', 'bob', 'ann', 'bob']);
  });

  test('An owner with a single job does not wait behind the many of one who pays', async () => {
    const queue = await (await makeWorld()).open();
    await serve(queue, { owners: { ann: { priority: 100, slots: 5 } }, claims: 12 });
    await fill(queue, 'bob', ['b']);
    const next = (await claimAll(queue)).slice(0, 2);
    expect(next).toContain('b');
  });

  test('A job that comes back keeps its turn', async () => {
    const { clock, times, open } = await makeWorld();
    const queue = await open();
    await fill(queue, 'ann', ['a1', 'a2']);
    await fill(queue, 'bob', ['b1', 'b2']);
    await queue.fail(await mustClaim(queue, 'w'), { code: 'internal_error', message: 'Oh.', passing: true });
    clock.forward(times.retryDelay);
    expect(await claimAll(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test('Only jobs whose turn comes first count as waiting before another job', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a1', 'a2', 'a3']);
    await fill(queue, 'bob', ['b1', 'b2']);
    const jobs = [...(await queue.list('ann', 9)), ...(await queue.list('bob', 9))];
    const before: Record<string, number> = {};
    for (const job of jobs) before[job.request_key] = await queue.waitingBefore(job);
    expect(before).toEqual({ a1: 0, b1: 1, a2: 2, b2: 3, a3: 4 });
    await mustClaim(queue, 'w');
    expect(await queue.waitingBefore(jobs[0]!)).toBe(3);
  });
}
