import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { NetworkError, ServiceError } from '../../src/client/errors.ts';
import type { JobState } from '../../src/client/types.ts';
import { awaitJob } from '../../src/dispatch/await-job.ts';
import { ABSENT } from '../support/hosted/alter.ts';
import { noConnection } from '../support/hosted/hosted-in-memory.ts';
import { openInMemory } from '../support/hosted/memory-client.ts';
import type { HostedOptions } from '../support/hosted/options.ts';
import { skinPng } from '../support/server/drawn-skins.ts';

/** A job that has just been submitted, and a wait for it that the clock runs. */
async function openWait(options?: HostedOptions) {
  const { clock, hosted, client } = await openInMemory(options);
  const stop = new AbortController();
  const pending = await clock.until(client.queue({ file: skinPng(1) }));
  const wait = async (): Promise<JobState> =>
    await clock.until(awaitJob(pending, { client, clock, random: () => 0.5, signal: stop.signal }));
  return { clock, hosted, pending, stop, wait };
}

test('A job is followed to its end, and answered with its skin', async () => {
  const { clock, hosted, pending, wait } = await openWait({ serviceTime: 2_000 });
  const { job, skin } = await wait();
  expect([job.id, job.status, skin?.variant]).toEqual([pending.job.id, 'completed', 'classic']);
  expect(clock.monotonic()).toBeLessThan(2_500);
  expect(hosted.seen.length).toBeLessThan(12);
});

test('A job that fails is answered with its reasons', async () => {
  const fate = () => ({ kind: 'fails', times: 1, code: 'invalid_image' }) as const;
  const { wait } = await openWait({ serviceTime: 500, fate });
  const { job, errors } = await wait();
  expect([job.status, errors[0]?.code]).toEqual(['failed', 'invalid_image']);
});

test('A job that the service forgets is told in its own words', async () => {
  const fate = () => ({ kind: 'forgotten', times: 1, after: 0, keepsSkin: false }) as const;
  const { wait } = await openWait({ serviceTime: 500, fate });
  await expect(wait()).rejects.toMatchObject({ code: 'job_not_found' });
  await expect(wait()).rejects.toBeInstanceOf(ServiceError);
});

test('A failure that passes is waited out', async () => {
  const { clock, hosted, wait } = await openWait({ serviceTime: 500 });
  hosted.disturb = async (_, process) => {
    if (clock.monotonic() < 60_000) throw noConnection();
    return await process();
  };
  expect((await wait()).job.status).toBe('completed');
});

test('A service that stays away is given up in the end, for the reason of the last failure', async () => {
  const { clock, hosted, wait } = await openWait({ serviceTime: 500 });
  hosted.disturb = async () => {
    throw noConnection();
  };
  await expect(wait()).rejects.toBeInstanceOf(NetworkError);
  const minutes = clock.monotonic() / 60_000;
  expect(minutes).toBeGreaterThan(14);
  expect(minutes).toBeLessThan(15.1);
});

test('A service that refuses to tell of the job is believed', async () => {
  const { hosted, wait } = await openWait({ serviceTime: 60_000 });
  hosted.disturb = async (request, process) =>
    request.kind === 'list' || request.kind === 'job'
      ? {
          status: 403,
          headers: {},
          content: { success: false, errors: [{ code: 'forbidden', message: 'No.' }] },
        }
      : await process();
  await expect(wait()).rejects.toMatchObject({ status: 403 });
});

test('A job without an estimate is looked for early, singly and in the list', async () => {
  const { clock, hosted, wait } = await openWait({ serviceTime: 450, eta: false });
  expect((await wait()).job.status).toBe('completed');
  expect(clock.monotonic()).toBeLessThan(600);
  expect(hosted.times('list').length).toBeGreaterThan(1);
});

test('A skin that the answer lacks is read by its UUID, and one that it has is not', async () => {
  const complete = await openWait({ serviceTime: 500 });
  const { skin } = await complete.wait();
  expect(complete.hosted.times('skin')).toEqual([]);
  const lacking = await openWait({ serviceTime: 500, alter: { job: { skin: ABSENT } } });
  const found = await lacking.wait();
  expect([found.skin?.variant, lacking.hosted.times('skin').length]).toEqual([skin?.variant, 1]);
});

test('A wait that has ended leaves no listener behind', async () => {
  const { stop, wait } = await openWait({ serviceTime: 500 });
  await wait();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('A wait that is stopped ends at once with the reason', async () => {
  const { clock, stop, wait } = await openWait({ serviceTime: 60_000 });
  void clock.sleep(1_000).then(() => stop.abort(new Error('enough')));
  await expect(wait()).rejects.toThrow('enough');
  expect(clock.monotonic()).toBeLessThan(1_100);
});
