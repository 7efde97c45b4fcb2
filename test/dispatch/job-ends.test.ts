import { expect, test } from 'vitest';
import { JobEnds, type JobEndsTools } from '../../src/dispatch/job-ends.ts';
import type { OpenJob } from '../../src/dispatch/spots.ts';

test('A job whose last answer is still outstanding counts as asked again, so that it is not due for ever', () => {
  let now = 1_000;
  let requests = 0;
  const outstanding = new Promise<never>(() => {});
  const tools = {
    desk: { now: () => now, track: () => {} },
    finisher: {
      attempt: () => {
        requests++;
        return outstanding;
      },
    },
    follows: true,
    onRoom: () => {},
    onPending: () => {},
  } as unknown as JobEndsTools;
  const ends = new JobEnds(tools);
  const job = { id: 'a', acceptedAt: 0 } as OpenJob;
  ends.ask(job);
  now = 5_000;
  ends.ask(job);
  expect([requests, job.askedAt]).toEqual([1, 5_000]);
});

/** The durations that the end of a job at 3,000 ms teaches. */
async function learnedFrom(job: Partial<OpenJob>): Promise<number[]> {
  const learned: number[] = [];
  const known = { id: 'a', work: {}, acceptedAt: 1_000, isTimed: true, ...job } as OpenJob;
  let task: Promise<void> | undefined;
  const tools = {
    desk: {
      spots: { jobs: new Map([['a', known]]), freed: () => {} },
      times: { ended: (_: OpenJob, duration: number) => learned.push(duration) },
      track: (tracked: Promise<void>) => {
        task = tracked;
      },
    },
    finisher: {
      attempt: async (_work: unknown, _id: string, fetch: () => Promise<void>) => await fetch(),
      fetch: async () => ({ job: { id: 'a', status: 'completed' } }),
      settle: async () => {},
    },
    follows: true,
    onRoom: () => {},
  } as unknown as JobEndsTools;
  new JobEnds(tools).ended(known, { seen: { id: 'a', status: 'completed' }, at: 3_000 });
  await task;
  return learned;
}

test('The end of a job teaches how long jobs take', async () => {
  expect(await learnedFrom({})).toEqual([2_000]);
});

test('The end of a job of an earlier run teaches nothing: nobody knows when it began', async () => {
  expect(await learnedFrom({ isTimed: false })).toEqual([]);
});
