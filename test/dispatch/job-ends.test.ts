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
