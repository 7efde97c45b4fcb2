import { expect, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { JobSignals } from '../../../../../src/server/events.ts';
import { INSERT_JOB, knownRow } from '../../../../../src/server/queue/enqueue.ts';
import { findJob } from '../../../../../src/server/queue/lists.ts';
import { waitForChange, waitForEnd, waitForEnds } from '../../../../../src/server/service/jobs/jobs.ts';
import type { JobRow } from '../../../../../src/server/store/schema/tables.ts';
import { keepTexture } from '../../../../../src/server/store/textures.ts';
import { newJob, TEXTURE_HASH } from '../../../../contract/jobs.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../../support/server/running-server.ts';
import { Statements } from '../../../../support/server/statements.ts';

/** A service with so many jobs, of which two are pending. */
async function serviceWith(count: number) {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const rows = Array.from({ length: count }, () => knownRow(newJob(), { skinUuid: 'f00d', now: 1 }));
  for (const row of rows) await INSERT_JOB.run(db, row);
  const uuids = rows.map(({ uuid }) => uuid);
  const pending = [uuids[7]!, uuids[900]!] as const;
  const change = async (uuid: string, status: 'waiting' | 'completed', finished_at: number | null) =>
    await db.updateTable('jobs').set({ status, finished_at }).where('uuid', '=', uuid).execute();
  for (const uuid of pending) await change(uuid, 'waiting', null);
  const signals = new JobSignals();
  const context = {
    ...{ clock: systemClock, db, signals },
    isStopping: () => false,
    trouble: () => undefined,
  } as unknown as Parameters<typeof waitForEnds>[0];
  const end = async (uuid: string) => {
    await change(uuid, 'completed', 2);
    signals.finished({ uuid, owner: 'ann' });
  };
  return { context, uuids, pending, end };
}

test('Only jobs that have not ended are looked at singly, out of a thousand', async () => {
  const { context, uuids, pending, end } = await serviceWith(1_000);
  const statements = new Statements();
  let isOver = false;
  const waited = waitForEnds(context, uuids, 60_000).then(() => {
    isOver = true;
  });
  await end(pending[0]);
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  await end(pending[1]);
  await waited;
  const reads = statements.take().filter((text) => text.startsWith('select'));
  const pages = reads.filter((text) => text.includes('"uuid" in'));
  expect(pages).toHaveLength(2);
  expect(reads.length - pages.length).toBeLessThanOrEqual(4); // before they wait, and once they are woken
});

interface Waiting {
  readonly context: Parameters<typeof waitForChange>[0];
  readonly job: JobRow;
}

test.each([
  ['waitForChange', async ({ context, job }: Waiting) => await waitForChange(context, job, { ms: 60_000 })],
  ['waitForEnd', async ({ context, job }: Waiting) => await waitForEnd(context, job.uuid, { total: 60_000 })],
])('%s listens for a job no longer than it waits', async (_, wait) => {
  const { context, pending, end } = await serviceWith(1_000);
  const job = (await findJob(context.db, pending[0]))!;
  const { signals } = context;
  let listening = 0;
  const listen = signals.listenForJob.bind(signals);
  vi.spyOn(signals, 'listenForJob').mockImplementation((...given) => {
    const { heard, stop } = listen(...given);
    listening++;
    return {
      heard,
      stop: () => {
        listening--;
        stop();
      },
    };
  });
  const waited = wait({ context, job });
  await end(job.uuid);
  await waited;
  expect([listening, vi.mocked(signals.listenForJob).mock.calls.length > 0]).toEqual([0, true]);
});
