import { expect, test } from 'vitest';
import { generated, LIMITS, newJob } from './jobs.ts';
import { fill, mustClaim } from './queue-steps.ts';
import type { MakeWorld } from './queue-world.ts';

/** What is accepted, and what is not. */
export function describeSubmitting(makeWorld: MakeWorld): void {
  test('A job is accepted as waiting, with everything requested', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    const asked = newJob({ owner: 'ann', name: 'Smith', visibility: 'private', variant: 'slim' });
    const submission = await queue.submit(asked, LIMITS);
    expect(submission).toMatchObject({
      kind: 'queued',
      job: {
        uuid: asked.uuid,
        owner: 'ann',
        status: 'waiting',
        identity: asked.identity,
        name: 'Smith',
        visibility: 'private',
        variant: 'slim',
        attempts: 0,
        created_at: world.clock.now(),
        finished_at: null,
        skin_uuid: null,
      },
    });
    expect(await queue.find(asked.uuid)).toMatchObject({ uuid: asked.uuid, status: 'waiting' });
  });

  test('The same request of the same owner is the same job while it is pending, and takes no slot', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ request: 'same' });
    await queue.submit(first, LIMITS);
    const again = await queue.submit(newJob({ request: 'same' }), { ...LIMITS, slots: 1, perMinute: 1 });
    expect(again).toMatchObject({ kind: 'joined', job: { uuid: first.uuid } });
    expect(await queue.list('ann', 10)).toHaveLength(1);
  });

  test('The same request while a worker has it is still the same job', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ request: 'same' });
    await queue.submit(first, LIMITS);
    await queue.claim('w');
    expect(await queue.submit(newJob({ request: 'same' }), LIMITS)).toMatchObject({
      kind: 'joined',
      job: { uuid: first.uuid, status: 'processing' },
    });
  });

  test('The same request of another owner, or after the end, is a job of its own', async () => {
    const queue = await (await makeWorld()).open();
    await queue.submit(newJob({ request: 'same' }), LIMITS);
    expect(await queue.submit(newJob({ owner: 'bob', request: 'same' }), LIMITS)).toMatchObject({
      kind: 'queued',
    });
    await queue.fail(await mustClaim(queue, 'w'), { code: 'job_failed', message: 'no', passing: false });
    expect(await queue.submit(newJob({ request: 'same' }), LIMITS)).toMatchObject({ kind: 'queued' });
  });

  test('The sixth unfinished job of an owner is refused; another owner has slots of its own', async () => {
    const queue = await (await makeWorld()).open();
    const kinds = await fill(queue, 'ann', ['a', 'b', 'c', 'd', 'e', 'f']);
    expect(kinds).toEqual(['queued', 'queued', 'queued', 'queued', 'queued', 'full']);
    expect(await fill(queue, 'bob', ['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(kinds);
  });

  test('A slot is taken until the job has ended, not until a worker has it', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c', 'd', 'e']);
    const lease = await mustClaim(queue, 'w');
    expect(await fill(queue, 'ann', ['f'])).toEqual(['full']);
    await queue.complete(lease, generated());
    expect(await fill(queue, 'ann', ['g', 'h'])).toEqual(['queued', 'full']);
  });

  test('A job that failed keeps no slot', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c', 'd', 'e']);
    const failure = { code: 'job_failed', message: 'No skin.', passing: false } as const;
    await queue.fail(await mustClaim(queue, 'w'), failure);
    expect(await fill(queue, 'ann', ['f', 'g'])).toEqual(['queued', 'full']);
  });

  test('Twelve submissions at the same instant get exactly as many acceptances as there are slots', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    const jobs = Array.from({ length: 12 }, (_, n) => newJob({ request: `r${n}` }));
    const kinds = (await Promise.all(jobs.map((job) => queue.submit(job, LIMITS)))).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'queued')).toHaveLength(LIMITS.slots);
    expect(kinds.filter((kind) => kind === 'full')).toHaveLength(12 - LIMITS.slots);
    expect(await queue.list('ann', 50)).toHaveLength(LIMITS.slots);
  });

  test('What is refused for want of a slot is not counted against the windows', async () => {
    const queue = await (await makeWorld()).open();
    const limits = { ...LIMITS, slots: 1, perMinute: 2 };
    await queue.submit(newJob({ request: 'a' }), limits);
    expect(await queue.submit(newJob({ request: 'b' }), limits)).toMatchObject({ kind: 'full', pending: 1 });
    await queue.complete(await mustClaim(queue, 'w'), generated());
    expect(await queue.submit(newJob({ request: 'c' }), limits)).toMatchObject({ kind: 'queued' });
  });

  test('A job whose result is known is born completed and takes no slot', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c', 'd', 'e']);
    const known = newJob({ request: 'known' });
    const job = { uuid: known.uuid, status: 'completed', skin_uuid: 'f00d' };
    expect(await queue.recordKnown(known, 'f00d')).toMatchObject({ kind: 'recorded', job });
    expect(await queue.find(known.uuid)).toMatchObject(job);
    expect(await fill(queue, 'ann', ['f'])).toEqual(['full']);
    await queue.complete(await mustClaim(queue, 'w'), generated());
    expect(await fill(queue, 'ann', ['g', 'h'])).toEqual(['queued', 'full']);
  });
}
