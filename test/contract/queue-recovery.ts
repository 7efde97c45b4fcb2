import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { type NodeName, workerName } from '../../src/server/queue/leases.ts';
import type { Lease } from '../../src/server/queue/port.ts';
import type { TestQueue } from '../support/server/test-queue.ts';
import { generated, LIMITS, newJob } from './jobs.ts';
import type { MakeWorld, QueueWorld } from './queue-world.ts';

const HOST = hostname().replaceAll('/', '_');
/** Above the highest process id that Linux and macOS give. */
const NO_SUCH_PROCESS = 2 ** 22 + 1;

/** Processes that hold leases: this one, others that live, and others that do not. */
const HOLDERS = {
  self: { host: HOST, pid: process.pid, nonce: 'now' },
  alive: { host: HOST, pid: process.ppid, nonce: 'parent' },
  dead: { host: HOST, pid: NO_SUCH_PROCESS, nonce: 'gone' },
  formerSelf: { host: HOST, pid: process.pid, nonce: 'before' },
  elsewhere: { host: 'another-machine', pid: NO_SUCH_PROCESS, nonce: 'far' },
} as const satisfies Record<string, NodeName>;

async function withClaimedJob(
  world: QueueWorld,
  holder: NodeName = HOLDERS.alive,
): Promise<{ queue: TestQueue; lease: Lease }> {
  const queue = await world.open(HOLDERS.self);
  await queue.submit(newJob({ request: 'a' }), LIMITS);
  const lease = await queue.claim(workerName(holder, 0));
  expect(lease).toBeDefined();
  return { queue, lease: lease! };
}

/** Leases that are lost, and whose. */
export function describeRecovery(makeWorld: MakeWorld): void {
  test.each([
    ['self', 0],
    ['alive', 0],
    ['dead', 1],
    ['formerSelf', 1],
    ['elsewhere', 0],
  ] as const)('A lease of %s that has not run out: %i are freed', async (holder, freed) => {
    const { queue, lease } = await withClaimedJob(await makeWorld(), HOLDERS[holder]);
    expect(await queue.recover()).toBe(freed);
    expect((await queue.find(lease.job.uuid))?.status).toBe(freed === 1 ? 'waiting' : 'processing');
  });

  test.each(['self', 'alive', 'elsewhere'] as const)(
    'A lease of %s is freed once it has run out, and not a moment before',
    async (holder) => {
      const world = await makeWorld();
      const { queue, lease } = await withClaimedJob(world, HOLDERS[holder]);
      world.clock.forward(world.times.lease);
      expect(await queue.recover()).toBe(0);
      world.clock.forward(1);
      expect(await queue.recover()).toBe(1);
      expect(await queue.find(lease.job.uuid)).toMatchObject({
        status: 'waiting',
        lease_owner: null,
        attempts: 1,
      });
      expect(await queue.claim('someone')).toMatchObject({ job: { attempts: 2 } });
    },
  );

  test('A renewed lease lasts longer', async () => {
    const world = await makeWorld();
    const { queue, lease } = await withClaimedJob(world);
    world.clock.forward(world.times.lease - 1);
    expect(await queue.renew(lease)).toBe(true);
    world.clock.forward(world.times.lease - 1);
    expect(await queue.recover()).toBe(0);
  });

  test('A job that keeps losing its worker fails in the end', async () => {
    const world = await makeWorld();
    const { queue, lease } = await withClaimedJob(world);
    for (let attempt = 1; attempt < world.times.maxAttempts; attempt++) {
      world.clock.forward(world.times.lease + 1);
      expect(await queue.recover()).toBe(1);
      expect(await queue.claim('again')).toBeDefined();
    }
    world.clock.forward(world.times.lease + 1);
    expect(await queue.recover()).toBe(1);
    expect(await queue.find(lease.job.uuid)).toMatchObject({ status: 'failed', error_code: 'job_failed' });
  });

  test('A lease from before the clock was set back runs out as if it began now', async () => {
    const world = await makeWorld();
    const { queue, lease } = await withClaimedJob(world, HOLDERS.elsewhere);
    world.clock.forward(-24 * 3_600_000);
    expect(await queue.recover()).toBe(0);
    world.clock.forward(world.times.lease + 1);
    await queue.recover();
    expect((await queue.find(lease.job.uuid))?.status).toBe('waiting');
  });

  test('Two processes that recover at once free a lost job once', async () => {
    const world = await makeWorld();
    const { queue } = await withClaimedJob(world, HOLDERS.dead);
    const other = await world.open();
    const freed = [await queue.recover(), await other.recover()];
    expect(freed).toEqual([1, 0]);
  });

  const steps: Record<string, (queue: TestQueue, lease: Lease) => Promise<boolean>> = {
    renew: (queue, lease) => queue.renew(lease),
    complete: (queue, lease) => queue.complete(lease, generated()),
    fail: (queue, lease) => queue.fail(lease, { code: 'job_failed', message: 'no', passing: false }),
    'fail passing': (queue, lease) =>
      queue.fail(lease, { code: 'internal_error', message: 'no', passing: true }),
    release: (queue, lease) => queue.release(lease),
  };

  test.each(Object.keys(steps))(
    'After its lease went to another, a worker cannot %s the job',
    async (step) => {
      const world = await makeWorld();
      const { queue, lease } = await withClaimedJob(world, HOLDERS.dead);
      await queue.recover();
      const other = await queue.claim('other');
      const before = await queue.find(lease.job.uuid);
      expect(await steps[step]?.(queue, lease)).toBe(false);
      expect(await queue.find(lease.job.uuid)).toEqual(before);
      expect(await queue.complete(other!, generated())).toBe(true);
    },
  );

  test.each(Object.keys(steps))('Once the job is completed, its worker cannot %s it again', async (step) => {
    const { queue, lease } = await withClaimedJob(await makeWorld());
    await queue.complete(lease, generated());
    const before = await queue.find(lease.job.uuid);
    expect(await steps[step]?.(queue, lease)).toBe(false);
    expect(await queue.find(lease.job.uuid)).toEqual(before);
  });
}
