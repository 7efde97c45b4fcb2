import { expect, test } from 'vitest';
import { JobEnds, type JobEndsPorts } from '../../src/dispatch/job-ends.ts';
import type { OpenJob } from '../../src/dispatch/spots.ts';
import type { Submission } from '../../src/dispatch/submission.ts';

test('A job whose last answer is still outstanding counts as asked again, so that it is not due for ever', () => {
  let now = 1_000;
  let requests = 0;
  const outstanding = new Promise<never>(() => {});
  const tools = {
    session: { now: () => now, track: () => {} },
    results: {
      attempt: () => {
        requests++;
        return outstanding;
      },
    },
    follows: true,
    onRoom: () => {},
    onHint: () => {},
  } as unknown as JobEndsPorts<Submission>;
  const ends = new JobEnds(tools);
  const job = { id: 'a', acceptedAt: 0 } as OpenJob<Submission>;
  ends.ask(job);
  now = 5_000;
  ends.ask(job);
  expect([requests, job.askedAt]).toEqual([1, 5_000]);
});

/** The durations that the end of a job at 3,000 ms teaches, and the hint to plan anew with them. */
async function learnedFrom(job: Partial<OpenJob<Submission>>): Promise<(number | 'hint')[]> {
  const learned: (number | 'hint')[] = [];
  const known = { id: 'a', work: {}, acceptedAt: 1_000, isTimed: true, ...job } as OpenJob<Submission>;
  let task: Promise<void> | undefined;
  const tools = {
    session: {
      spots: { jobs: new Map([['a', known]]), freed: () => {} },
      times: { ended: (_: OpenJob<Submission>, duration: number) => learned.push(duration) },
      track: (tracked: Promise<void>) => {
        task = tracked;
      },
    },
    reads: { job: async () => ({ job: { id: 'a', status: 'completed' } }) },
    results: {
      attempt: async (_work: unknown, _id: string, fetch: () => Promise<void>) => await fetch(),
      settle: async () => {},
    },
    follows: true,
    onRoom: () => {},
    onHint: () => learned.push('hint'),
  } as unknown as JobEndsPorts<Submission>;
  new JobEnds(tools).ended(known, { seen: { id: 'a', status: 'completed' }, at: 3_000 });
  await task;
  return learned;
}

test('The end of a job teaches how long jobs take', async () => {
  expect(await learnedFrom({})).toEqual([2_000, 'hint']);
});

test('The end of a job of an earlier run teaches nothing: nobody knows when it began', async () => {
  expect(await learnedFrom({ isTimed: false })).toEqual([]);
});
