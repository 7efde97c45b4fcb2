import { describe, expect, test } from 'vitest';
import { generated, LIMITS, newJob } from './jobs.ts';
import { describeConcurrency } from './queue-concurrency.ts';
import { describeLimits } from './queue-limits.ts';
import { describeRecovery } from './queue-recovery.ts';
import { describeRepeating } from './queue-repeating.ts';
import { claimAll, fill, mustClaim } from './queue-steps.ts';
import { describeSubmitting } from './queue-submitting.ts';
import { describeTurns } from './queue-turns.ts';
import type { MakeWorld } from './queue-world.ts';

/** The rules of the queue, whatever keeps it. */
export function describeJobQueue(name: string, makeWorld: MakeWorld): void {
  describeSteps(name, makeWorld);
  describe(`${name} as a job queue`, () => {
    describeLimits(makeWorld);
    describeTurns(makeWorld);
  });
}

/** Everything that can be done with a queue: limits and turns only do it more often. */
export function describeSteps(name: string, makeWorld: MakeWorld): void {
  describe(`${name} as a job queue`, () => {
    describeSubmitting(makeWorld);
    describeConcurrency(makeWorld);
    describeRepeating(makeWorld);
    describeClaiming(makeWorld);
    describeEnding(makeWorld);
    describeReading(makeWorld);
    describeRecovery(makeWorld);
  });
}

function describeClaiming(makeWorld: MakeWorld): void {
  test("The oldest of an owner's jobs is claimed first, and an empty queue gives none", async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c']);
    expect(await claimAll(queue)).toEqual(['a', 'b', 'c']);
  });

  test('A claim is a lease for its owner, and the attempt is counted', async () => {
    const { clock, times, open } = await makeWorld();
    const queue = await open();
    await fill(queue, 'ann', ['a']);
    const lease = await mustClaim(queue, 'w1');
    const held = {
      status: 'processing',
      attempts: 1,
      lease_owner: 'w1',
      lease_until: clock.now() + times.lease,
    };
    expect(lease).toMatchObject({ owner: 'w1', job: held });
    expect(await queue.find(lease.job.uuid)).toMatchObject(held);
  });

  test('A job that one process has claimed goes to no other process', async () => {
    const world = await makeWorld();
    const [here, there] = [await world.open(), await world.open()];
    await fill(here, 'ann', ['a', 'b', 'c', 'd', 'e']);
    const claimed: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const lease = await (turn % 2 === 0 ? here : there).claim(`w${turn}`);
      if (lease) claimed.push(lease.job.request_key);
    }
    expect(claimed).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('Ten workers of one process at the same instant each get another job', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c', 'd', 'e']);
    await fill(queue, 'bob', ['f', 'g', 'h', 'i', 'j']);
    const leases = await Promise.all(Array.from({ length: 10 }, (_, n) => queue.claim(`w${n}`)));
    expect(leases.map((lease) => lease?.job.request_key).sort()).toEqual([...'abcdefghij']);
  });
}

function describeEnding(makeWorld: MakeWorld): void {
  test('Completing stores a skin of the job owner and ends the job', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    await fill(queue, 'ann', ['a']);
    const lease = await mustClaim(queue, 'w');
    world.clock.forward(5);
    expect(await queue.complete(lease, generated())).toBe(true);
    const job = await queue.find(lease.job.uuid);
    const ended = {
      status: 'completed',
      finished_at: world.clock.now(),
      lease_owner: null,
      lease_until: null,
    };
    expect(job).toMatchObject(ended);
    expect(await world.skinOwner(String(job?.skin_uuid))).toBe('ann');
  });

  test('Two jobs of one owner for the same skin leave one record of it', async () => {
    const queue = await (await makeWorld()).open();
    const jobs = [newJob({ identity: 'face', name: 'Smith' }), newJob({ identity: 'face' })];
    for (const job of jobs) await queue.submit(job, LIMITS);
    for (const _ of jobs) expect(await queue.complete(await mustClaim(queue, 'w'), generated())).toBe(true);
    const [one, other] = (await queue.list('ann', 2)).map(({ skin_uuid }) => skin_uuid);
    expect(one).toEqual(expect.any(String));
    expect(other).toBe(one);
  });

  test('A failure that cannot pass ends the job with its reason', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    await fill(queue, 'ann', ['a']);
    const lease = await mustClaim(queue, 'w');
    expect(
      await queue.fail(lease, { code: 'invalid_skin_data', message: 'Not right.', passing: false }),
    ).toBe(true);
    expect(await queue.find(lease.job.uuid)).toMatchObject({
      status: 'failed',
      error_code: 'invalid_skin_data',
      error_message: 'Not right.',
      finished_at: world.clock.now(),
      lease_owner: null,
    });
    expect(await queue.claim('w')).toBeUndefined();
  });

  test('A failure that can pass is tried again later, each time later, and at last ends the job', async () => {
    const { clock, times, open } = await makeWorld();
    const queue = await open();
    await fill(queue, 'ann', ['a']);
    const passing = { code: 'internal_error', message: 'Oh.', passing: true };
    for (let attempt = 1; attempt < times.maxAttempts; attempt++) {
      const lease = await mustClaim(queue, 'w');
      expect(lease.job.attempts).toBe(attempt);
      expect(await queue.fail(lease, passing)).toBe(true);
      const wait = times.retryDelay * 2 ** (attempt - 1);
      expect(await queue.nextRunAt()).toBe(clock.now() + wait);
      clock.forward(wait - 1);
      expect(await queue.claim('w')).toBeUndefined();
      clock.forward(1);
    }
    const last = await mustClaim(queue, 'w');
    await queue.fail(last, passing);
    expect(await queue.find(last.job.uuid)).toMatchObject({
      status: 'failed',
      attempts: times.maxAttempts,
      error_code: 'internal_error',
    });
  });

  test('A postponed job lets younger ones pass', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b']);
    await queue.fail(await mustClaim(queue, 'w'), { code: 'internal_error', message: 'Oh.', passing: true });
    expect((await mustClaim(queue, 'w')).job.request_key).toBe('b');
  });

  test('The reason of an earlier failure is gone once the job is completed', async () => {
    const { clock, times, open } = await makeWorld();
    const queue = await open();
    await fill(queue, 'ann', ['a']);
    await queue.fail(await mustClaim(queue, 'w'), { code: 'internal_error', message: 'Oh.', passing: true });
    clock.forward(times.retryDelay);
    const lease = await mustClaim(queue, 'w');
    await queue.complete(lease, generated());
    expect(await queue.find(lease.job.uuid)).toMatchObject({ error_code: null, error_message: null });
  });

  test('Giving a job back makes it claimable at once, and the attempt does not count', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a']);
    expect(await queue.release(await mustClaim(queue, 'w'))).toBe(true);
    expect((await mustClaim(queue, 'w2')).job).toMatchObject({ attempts: 1, lease_owner: 'w2' });
  });

  test('All jobs that a worker holds but the one at hand are given back at once, and nobody else’s', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a']);
    await fill(queue, 'bob', ['b']);
    const [one, other] = [await mustClaim(queue, 'w'), await mustClaim(queue, 'w2')];
    expect(await queue.releaseOthers('w', one.job.uuid)).toBe(0);
    expect(await queue.renew(one)).toBe(true);
    expect(await queue.releaseOthers('w')).toBe(1);
    const again = await mustClaim(queue, 'w3');
    expect(again.job).toMatchObject({ uuid: one.job.uuid, attempts: 1 });
    expect(await queue.renew(other)).toBe(true);
  });

  test('A job that is given back for later waits until then, even if that is a fraction of a millisecond', async () => {
    const { open, clock } = await makeWorld();
    const queue = await open();
    await fill(queue, 'ann', ['a']);
    expect(await queue.release(await mustClaim(queue, 'w'), clock.now() + 1_000.25)).toBe(true);
    clock.forward(1_000);
    expect(await queue.claim('w')).toBeUndefined();
    clock.forward(1);
    expect((await mustClaim(queue, 'w')).job.attempts).toBe(1);
  });
}

function describeReading(makeWorld: MakeWorld): void {
  test("The list is the owner's own, newest first", async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b']);
    await fill(queue, 'bob', ['x']);
    await fill(queue, 'ann', ['c']);
    expect((await queue.list('ann', 10)).map((job) => job.request_key)).toEqual(['c', 'b', 'a']);
    expect(await queue.list('nobody', 10)).toEqual([]);
  });

  test('A list that is cut short still has every pending job', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['old']);
    for (const name of ['k1', 'k2', 'k3']) await queue.recordKnown(newJob({ request: name }), 'f00d');
    expect((await queue.list('ann', 2)).map((job) => job.request_key)).toEqual(['k3', 'k2', 'old']);
  });

  test('Where the jobs of a list stand can be read without all the rest of them', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['old']);
    await fill(queue, 'bob', ['x']);
    for (const name of ['k1', 'k2', 'k3']) await queue.recordKnown(newJob({ request: name }), 'f00d');
    for (const size of [2, 10]) {
      const jobs = await queue.list('ann', size);
      const states = jobs.map(({ id, uuid, status, created_at, skin_uuid }) => ({
        id,
        uuid,
        status,
        created_at,
        skin_uuid,
      }));
      expect(states).toHaveLength(size === 2 ? 3 : 4);
      expect(await queue.listStates('ann', size)).toEqual(states);
    }
    expect(await queue.listStates('nobody', 10)).toEqual([]);
  });

  test('Jobs that finished before a time are forgotten; pending ones never are', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    const old = newJob({ request: 'old' });
    const pending = newJob({ request: 'pending' });
    await queue.submit(pending, LIMITS);
    await queue.recordKnown(old, 'f00d');
    world.clock.forward(1_000);
    const fresh = newJob({ request: 'fresh' });
    await queue.recordKnown(fresh, 'f00d');
    await queue.prune(world.clock.now());
    const left = await Promise.all(
      [old, pending, fresh].map(async ({ uuid }) => (await queue.find(uuid))?.status),
    );
    expect(left).toEqual([undefined, 'waiting', 'completed']);
  });

  test('When the next job may run is known', async () => {
    const { clock, open } = await makeWorld();
    const queue = await open();
    expect(await queue.nextRunAt()).toBeUndefined();
    await fill(queue, 'ann', ['a', 'b']);
    await queue.claim('w');
    expect(await queue.nextRunAt()).toBe(clock.now());
  });

  test('A read of several jobs returns the ones that have ended together, with their skins', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c']);
    const uuids = (await queue.list('ann', 10)).map(({ uuid }) => uuid);
    const [a, b] = [await mustClaim(queue, 'w'), await mustClaim(queue, 'w')];
    await queue.complete(a, generated());
    await queue.fail(b, { code: 'job_failed', message: 'no', passing: false });
    const ends = await queue.readEnds([...uuids, 'nobody']);
    expect(ends.map(({ job, skin }) => [job.uuid, job.status, skin?.identity])).toEqual([
      [a.job.uuid, 'completed', 'identity of a'],
      [b.job.uuid, 'failed', undefined],
    ]);
    expect(ends[0]).toEqual(await queue.findWithSkin(a.job.uuid));
    expect(ends[0]?.job).toEqual(await queue.find(a.job.uuid));
  });

  test("An owner's jobs after another come in the order of their acceptance, so many at a time", async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b']);
    await fill(queue, 'bob', ['x']);
    await queue.claim('w');
    await queue.recordKnown(newJob({ request: 'known' }), 'f00d');
    await fill(queue, 'ann', ['c']);
    const [newest] = await queue.list('ann', 1);
    const first = (await queue.list('ann', 10)).at(-1);
    const after = async (id: number, size: number) =>
      (await queue.listAfter('ann', id, size)).map((job) => job.request_key);
    expect(await after(0, 10)).toEqual(['a', 'b', 'known', 'c']);
    expect(await after(first?.id ?? 0, 2)).toEqual(['b', 'known']);
    expect(await after(newest?.id ?? 0, 10)).toEqual([]);
  });

  test('What was accepted since a job, of all owners, comes in its order, so many at a time', async () => {
    const queue = await (await makeWorld()).open();
    expect(await queue.newestId()).toBe(0);
    await fill(queue, 'ann', ['a']);
    const newest = await queue.newestId();
    await fill(queue, 'bob', ['x', 'y']);
    await fill(queue, 'ann', ['b']);
    const owners = async (size: number) =>
      (await queue.acceptedAfter(newest, size)).map(({ owner }) => owner);
    expect([await owners(10), await owners(2)]).toEqual([
      ['bob', 'bob', 'ann'],
      ['bob', 'bob'],
    ]);
    expect(await queue.acceptedAfter(await queue.newestId(), 10)).toEqual([]);
  });

  test('Which of several jobs have ended is found together, and whose they are', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a']);
    await fill(queue, 'bob', ['x', 'y']);
    const jobs = [...(await queue.list('ann', 9)), ...(await queue.list('bob', 9))];
    const uuids = jobs.map(({ uuid }) => uuid);
    expect(await queue.findEnded(uuids)).toEqual([]);
    const ended = await mustClaim(queue, 'w');
    await queue.complete(ended, generated());
    expect(await queue.findEnded([...uuids, 'nobody'])).toEqual([{ uuid: ended.job.uuid, owner: 'ann' }]);
  });
}
