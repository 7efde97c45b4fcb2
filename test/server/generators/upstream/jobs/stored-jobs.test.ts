import { expect, test } from 'vitest';
import { Slots, type Submission } from '../../../../../src/dispatch/limits.ts';
import { StoredJobs } from '../../../../../src/server/generators/upstream/jobs.ts';
import { acceptUpstreamJob, beginUpstreamJob } from '../../../../../src/server/store/upstream-jobs.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';
import { giveStore, openOwnStore } from '../../../../support/server/running-server.ts';

/** A store with these submissions, some of which have a job, and what is known from the last list. */
async function openJobs(submissions: readonly (string | undefined)[]) {
  const dataDir = await ownFolder();
  await giveStore(dataDir);
  const { db } = await openOwnStore(dataDir);
  let count = 0;
  const submit = async (job: string | undefined) => {
    const identity = `${count++}`;
    const intent = {
      identity,
      idempotency_key: identity,
      mark: 0,
      submitted_at: 1,
      sender: null,
      sending_until: 1,
    };
    await beginUpstreamJob(db, intent, { seen: undefined, slots: 99, since: 0 });
    if (job !== undefined) await acceptUpstreamJob(db, identity, job);
  };
  for (const job of submissions) await submit(job);
  const slots = new Slots<Submission>();
  const jobs = new StoredJobs({ db, slots, isOwn: (id) => id === 'own' });
  await jobs.catchUp();
  /** A list with these pending jobs; answers whether there is more room. */
  const see = (...ids: string[]) => {
    slots.sawList(
      ids.map((id) => ({ id, status: 'waiting' })),
      1,
    );
    return jobs.countForeignJobs();
  };
  return { jobs, see, submit };
}

test("Pending jobs that neither the store nor this process knows count as other programs' jobs", async () => {
  const { jobs, see } = await openJobs(['stored']);
  see('stored', 'own', 'foreign-1', 'foreign-2');
  expect(jobs.foreignJobs).toBe(2);
  expect([jobs.isElsewhere('stored'), jobs.isElsewhere('foreign-1')]).toEqual([true, false]);
});

test('A submission without an answer accounts for one of the unknown jobs, if there is any', async () => {
  const { jobs, see } = await openJobs([undefined, undefined]);
  see('a');
  expect(jobs.foreignJobs).toBe(0);
  see('a', 'b', 'c');
  expect(jobs.foreignJobs).toBe(1);
});

test("The number of other programs' jobs does not rise while a submission may arrive after the list", async () => {
  const { jobs, see, submit } = await openJobs([]);
  see('a', 'b', 'c');
  await submit(undefined);
  await jobs.catchUp();
  see('a', 'b', 'c');
  expect(jobs.foreignJobs).toBe(3);
  see('a', 'b', 'c', 'ours');
  expect(jobs.foreignJobs).toBe(3);
  see('a', 'b');
  expect(jobs.foreignJobs).toBe(2);
});

test("A drop in other programs' jobs is reported, because it makes room", async () => {
  const { see } = await openJobs([]);
  expect([see('a', 'b'), see('a', 'b'), see('a'), see()]).toEqual([false, false, true, true]);
});

test("Other programs' jobs are checked less often while nothing changes", async () => {
  const { jobs, see } = await openJobs([]);
  see('a');
  const pauses = Array.from({ length: 12 }, () => {
    see('a');
    return jobs.foreignJobsPause;
  });
  expect([pauses[0], pauses[1], pauses.at(-1)]).toEqual([750, 1_125, 10_000]);
  see('a', 'b');
  expect(jobs.foreignJobsPause).toBe(500);
});
