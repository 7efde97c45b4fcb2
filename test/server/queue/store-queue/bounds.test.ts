import { describe, expect, test } from 'vitest';
import type { ClaimBounds } from '../../../../src/server/queue/port.ts';
import { generated, LIMITS, newJob } from '../../../contract/jobs.ts';
import { claimAll, fill, mustClaim } from '../../../contract/queue-steps.ts';
import { QUEUES } from '../../../support/server/queue-nodes.ts';

describe.each(QUEUES)('With %s', (_store, makeQueue) => {
  async function twoProcesses(bounds: () => ClaimBounds) {
    const openNode = await makeQueue();
    const [{ clock, queue: here }, { queue: there }] = [
      await openNode({ bounds }),
      await openNode({ bounds }),
    ];
    return { clock, here, there };
  }

  test('Two processes together process at most the total bound, whoever owns the jobs', async () => {
    let processing = 3;
    const { here, there, clock } = await twoProcesses(() => ({ processing }));
    await fill(here, 'ann', ['a', 'b', 'c']);
    await fill(here, 'bob', ['x', 'y', 'z']);
    const first = await mustClaim(here, 'w');
    expect(await claimAll(there)).toHaveLength(2);
    expect([await claimAll(here), await here.nextRunAt()]).toEqual([[], undefined]);
    await here.complete(first, generated());
    expect(await here.nextRunAt()).toBe(clock.now());
    expect(await claimAll(here)).toHaveLength(1);
    processing = 4;
    expect(await claimAll(there)).toHaveLength(1);
    processing = 0;
    expect([await claimAll(there), await there.nextRunAt()]).toEqual([[], undefined]);
  });

  test('A job waits while another for the same skin data is processed, and lets others pass', async () => {
    const { here, there } = await twoProcesses(() => ({ onePerIdentity: true }));
    await here.submit(newJob({ owner: 'ann', request: 'a', identity: 'same' }), LIMITS);
    await here.submit(newJob({ owner: 'bob', request: 'b', identity: 'same' }), LIMITS);
    const first = await mustClaim(here, 'w');
    expect([await there.claim('w'), await there.nextRunAt()]).toEqual([undefined, undefined]);
    await fill(here, 'cy', ['c']);
    expect(await claimAll(there)).toEqual(['c']);
    await here.complete(first, generated());
    expect(await claimAll(there)).toEqual(['b']);
  });

  test('A job that would duplicate another under way goes back and waits, and the attempt does not count', async () => {
    const { here, there } = await twoProcesses(() => ({ onePerIdentity: true }));
    await here.submit(newJob({ request: 'a', identity: 'of the old signer' }), LIMITS);
    await here.submit(newJob({ owner: 'bob', request: 'b', identity: 'of the new signer' }), LIMITS);
    const [old, twin] = [await mustClaim(here, 'w'), await mustClaim(there, 'v')];
    expect(await here.adopt(old, 'of the new signer')).toBeUndefined();
    expect(await here.claim('w')).toBeUndefined();
    await there.complete(twin, generated());
    expect((await mustClaim(here, 'w')).job).toMatchObject({ identity: 'of the new signer', attempts: 1 });
  });

  test('Without bounds, any number is processed', async () => {
    const { here, there, clock } = await twoProcesses(() => ({}));
    await here.submit(newJob({ request: 'a', identity: 'same' }), LIMITS);
    await here.submit(newJob({ request: 'b', identity: 'same' }), LIMITS);
    const first = await mustClaim(here, 'w');
    expect([first.job.request_key, await there.nextRunAt()]).toEqual(['a', clock.now()]);
    expect(await claimAll(there)).toEqual(['b']);
  });

  test('Jobs that run within the burst of their owner may be for the same skin data', async () => {
    const { here } = await twoProcesses(() => ({}));
    const limits = { ...LIMITS, concurrency: 1, burst: 2 };
    await here.submit(newJob({ request: 'a', identity: 'same' }), limits);
    await here.submit(newJob({ request: 'b', identity: 'same' }), limits);
    expect(await claimAll(here)).toEqual(['a', 'b']);
  });

  test.each([
    [{ only: ['bob', 'cy'] }, ['b', 'c']],
    [{ except: ['bob', 'cy'] }, ['a']],
  ])('Bound to the owners %j, only their jobs are claimed', async (owners, claimed) => {
    const { here, there, clock } = await twoProcesses(() => ({ owners }));
    await fill(here, 'ann', ['a']);
    await fill(here, 'bob', ['b']);
    await fill(here, 'cy', ['c']);
    expect(await here.nextRunAt()).toBe(clock.now());
    expect(await claimAll(there)).toEqual(claimed);
    expect(await here.nextRunAt()).toBeUndefined();
  });

  test('Bounds that end at a known time are checked again then, whether a job waits or not', async () => {
    const { here, clock } = await twoProcesses(() => ({ owners: { only: [] }, until: 7 }));
    expect(await here.nextRunAt()).toBe(7);
    await fill(here, 'ann', ['a']);
    expect([await here.claim('w'), await here.nextRunAt()]).toEqual([undefined, 7]);
    expect(clock.now()).toBeGreaterThan(7);
  });

  test.each([{}, { onePerIdentity: true }])(
    'With the bounds %j a job is adopted by a new signer',
    async (bounds) => {
      const { here } = await twoProcesses(() => bounds);
      await here.submit(newJob({ request: 'a', identity: 'of the old signer' }), LIMITS);
      const lease = await mustClaim(here, 'w');
      const adopted = await here.adopt(lease, 'of the new signer');
      expect(adopted?.job).toMatchObject({ uuid: lease.job.uuid, identity: 'of the new signer' });
      expect(await here.find(lease.job.uuid)).toMatchObject({
        status: 'processing',
        identity: 'of the new signer',
      });
    },
  );

  test('Without bounds a job is adopted although its twin is under way', async () => {
    const { here, there } = await twoProcesses(() => ({}));
    await here.submit(newJob({ request: 'a', identity: 'of the old signer' }), LIMITS);
    await here.submit(newJob({ owner: 'bob', request: 'b', identity: 'of the new signer' }), LIMITS);
    const [old] = [await mustClaim(here, 'w'), await mustClaim(there, 'v')];
    expect((await here.adopt(old, 'of the new signer'))?.job.identity).toBe('of the new signer');
  });

  test('A job is not adopted by a worker that has lost its lease', async () => {
    const { here } = await twoProcesses(() => ({}));
    await here.submit(newJob({ request: 'a', identity: 'of the old signer' }), LIMITS);
    const lease = await mustClaim(here, 'w');
    await here.release(lease);
    expect(await here.adopt(lease, 'of the new signer')).toBeUndefined();
    expect(await here.find(lease.job.uuid)).toMatchObject({ identity: 'of the old signer' });
  });

  test('A job that is given back for later is not taken earlier, and the attempt does not count', async () => {
    const { here, clock } = await twoProcesses(() => ({}));
    await fill(here, 'ann', ['a']);
    await here.release(await mustClaim(here, 'w'), clock.now() + 500);
    expect([await here.claim('w'), await here.nextRunAt()]).toEqual([undefined, clock.now() + 500]);
    clock.forward(500);
    expect((await mustClaim(here, 'w')).job.attempts).toBe(1);
  });
});
