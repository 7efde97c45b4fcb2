import { expect, test } from 'vitest';
import { generated, LIMITS, newJob } from './jobs.ts';
import { fill, mustClaim } from './queue-steps.ts';
import type { MakeWorld } from './queue-world.ts';

const NO_LIMITS_LEFT = { ...LIMITS, slots: 0, perMinute: 0, perHour: 0 };
const failure = { code: 'job_failed', message: 'no', passing: false };

/** Requests that come again under their idempotency key. */
export function describeRepeating(makeWorld: MakeWorld): void {
  test('A request that comes again under its key gets the first job, whatever happened to that job', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ request: 'a', idempotencyKey: 'key' });
    const again = async () =>
      await queue.submit({ ...newJob({ request: 'a', idempotencyKey: 'key' }) }, NO_LIMITS_LEFT);
    await queue.submit(first, LIMITS);
    expect(await again()).toMatchObject({ kind: 'repeated', job: { uuid: first.uuid, status: 'waiting' } });
    const lease = await mustClaim(queue, 'w');
    expect(await again()).toMatchObject({ kind: 'repeated', job: { status: 'processing' } });
    await queue.complete(lease, generated());
    expect(await again()).toMatchObject({ kind: 'repeated', job: { uuid: first.uuid, status: 'completed' } });
    expect(await queue.list('ann', 10)).toHaveLength(1);
  });

  test('A failed job stays the answer to its key; without the key it is tried again', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ request: 'a', idempotencyKey: 'key' });
    await queue.submit(first, LIMITS);
    await queue.fail(await mustClaim(queue, 'w'), failure);
    const again = await queue.submit(newJob({ request: 'a', idempotencyKey: 'key' }), LIMITS);
    expect(again).toMatchObject({ kind: 'repeated', job: { uuid: first.uuid, status: 'failed' } });
    expect(await queue.submit(newJob({ request: 'a' }), LIMITS)).toMatchObject({ kind: 'queued' });
  });

  test.each([
    ['another picture', { textureHash: 'b'.repeat(64) }],
    ['another variant', { variant: 'slim' }],
    ['another visibility', { visibility: 'private' }],
    ['another name', { name: 'Smith' }],
  ] as const)('A repeated key with %s is refused as used', async (_, over) => {
    const queue = await (await makeWorld()).open();
    await queue.submit(newJob({ idempotencyKey: 'key' }), LIMITS);
    const other = newJob({ idempotencyKey: 'key', ...over });
    expect(await queue.findRepeated(other)).toEqual({ kind: 'key_taken' });
    expect(await queue.submit(other, LIMITS)).toEqual({ kind: 'key_taken' });
    expect(await queue.recordKnown(other, 'f00d')).toEqual({ kind: 'key_taken' });
    expect(await queue.list('ann', 10)).toHaveLength(1);
  });

  test('Another signer does not make another request of it', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ idempotencyKey: 'key', identity: 'by the old key' });
    await queue.submit(first, LIMITS);
    const again = newJob({ idempotencyKey: 'key', identity: 'by the new key' });
    expect(await queue.submit(again, LIMITS)).toMatchObject({ kind: 'repeated', job: { uuid: first.uuid } });
  });

  test('The same key of another owner is another key', async () => {
    const queue = await (await makeWorld()).open();
    await queue.submit(newJob({ request: 'a', idempotencyKey: 'key' }), LIMITS);
    const bobs = newJob({ request: 'a', owner: 'bob', idempotencyKey: 'key' });
    expect(await queue.findRepeated(bobs)).toBeUndefined();
    expect(await queue.submit(bobs, LIMITS)).toMatchObject({ kind: 'queued', job: { uuid: bobs.uuid } });
  });

  test('A request without a key repeats nothing', async () => {
    const queue = await (await makeWorld()).open();
    await queue.submit(newJob({ request: 'a', idempotencyKey: 'key' }), LIMITS);
    expect(await queue.findRepeated(newJob({ request: 'a' }))).toBeUndefined();
  });

  test('Keys of requests that joined one job all lead to it, even after its end', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ request: 'a', idempotencyKey: 'one' });
    await queue.submit(first, LIMITS);
    const joining = newJob({ request: 'a', idempotencyKey: 'two' });
    expect(await queue.submit(joining, LIMITS)).toMatchObject({ kind: 'joined', job: { uuid: first.uuid } });
    await queue.fail(await mustClaim(queue, 'w'), failure);
    for (const idempotencyKey of ['one', 'two'])
      expect(await queue.submit(newJob({ request: 'a', idempotencyKey }), LIMITS)).toMatchObject({
        kind: 'repeated',
        job: { uuid: first.uuid },
      });
  });

  test('A refused request does not use its key up', async () => {
    const queue = await (await makeWorld()).open();
    await fill(queue, 'ann', ['a', 'b', 'c', 'd', 'e']);
    const job = newJob({ request: 'f', idempotencyKey: 'key' });
    expect(await queue.submit(job, LIMITS)).toMatchObject({ kind: 'full' });
    expect(await queue.submit(job, { ...LIMITS, perMinute: 5 })).toMatchObject({ kind: 'too_fast' });
    await queue.complete(await mustClaim(queue, 'w'), generated());
    const other = newJob({ request: 'g', idempotencyKey: 'key', name: 'other' });
    expect(await queue.submit(other, LIMITS)).toMatchObject({ kind: 'queued' });
  });

  test('A repeated request is not counted', async () => {
    const queue = await (await makeWorld()).open();
    const limits = { ...LIMITS, perMinute: 2, perHour: 2 };
    for (let n = 0; n < 4; n++) await queue.submit(newJob({ request: 'a', idempotencyKey: 'key' }), limits);
    expect(await queue.submit(newJob({ request: 'b' }), limits)).toMatchObject({ kind: 'queued' });
    expect(await queue.submit(newJob({ request: 'c' }), limits)).toMatchObject({ kind: 'too_fast' });
  });

  test('A picture that is known gets one job under one key', async () => {
    const queue = await (await makeWorld()).open();
    const first = newJob({ request: 'a', idempotencyKey: 'key' });
    await queue.recordKnown(first, 'f00d');
    const again = newJob({ request: 'a', idempotencyKey: 'key' });
    const repeated = { kind: 'repeated', job: { uuid: first.uuid, skin_uuid: 'f00d' } };
    expect(await queue.recordKnown(again, 'f00d')).toMatchObject(repeated);
    expect(await queue.submit(again, LIMITS)).toMatchObject(repeated);
    expect(await queue.list('ann', 10)).toHaveLength(1);
  });

  test('Twenty requests with one key at the same instant are one job', async () => {
    const queue = await (await makeWorld()).open();
    const submissions = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        queue.submit(newJob({ request: `r${n}`, idempotencyKey: 'key' }), LIMITS),
      ),
    );
    expect(submissions.filter(({ kind }) => kind === 'queued')).toHaveLength(1);
    expect(new Set(submissions.map((one) => ('job' in one ? one.job.uuid : one.kind))).size).toBe(1);
  });

  test('Twenty requests with one key at the same instant for a picture that is known are one job', async () => {
    const queue = await (await makeWorld()).open();
    const recorded = await Promise.all(
      Array.from({ length: 20 }, () =>
        queue.recordKnown(newJob({ request: 'a', idempotencyKey: 'key' }), 'f00d'),
      ),
    );
    expect(recorded.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
    expect(new Set(recorded.map((one) => ('job' in one ? one.job.uuid : one.kind))).size).toBe(1);
  });

  test('A key is forgotten with its job, and not before', async () => {
    const world = await makeWorld();
    const queue = await world.open();
    const job = newJob({ request: 'a', idempotencyKey: 'key' });
    await queue.recordKnown(job, 'f00d');
    await queue.prune(world.clock.now());
    expect(await queue.findRepeated(job)).toMatchObject({ kind: 'repeated' });
    world.clock.forward(1);
    await queue.prune(world.clock.now());
    expect(await queue.findRepeated(job)).toBeUndefined();
    const again = newJob({ request: 'a', idempotencyKey: 'key' });
    expect(await queue.submit(again, LIMITS)).toMatchObject({ kind: 'queued', job: { uuid: again.uuid } });
  });
}
