import { expect, test } from 'vitest';
import type { JobPage, JobState } from '../../../../src/server/queue/port.ts';
import type { Caller } from '../../../../src/server/service/callers/caller.ts';
import { listJobs, listNewestJobs } from '../../../../src/server/service/jobs/jobs.ts';

const CALLER = { owner: 'user:ann' } as Partial<Caller> as Caller;

const ended = (id: number) => ({ id, status: 'completed' }) as Partial<JobState> as JobState;

/** A caller with so many ended jobs, the newest first. */
function contextWith(count: number) {
  const all = Array.from({ length: count }, (_, n) => ended(count - n));
  const queue = {
    find: async () => undefined,
    page: async (_owner: string, { size, before = count + 1 }: JobPage) =>
      all.filter(({ id }) => id < before).slice(0, size),
    count: async () => count,
    listStates: async (_owner: string, size: number) => all.slice(0, size),
  };
  return { queue } as unknown as Parameters<typeof listJobs>[0];
}

test.each([
  [0, 0, undefined],
  [499, 499, undefined],
  [500, 500, undefined],
  [501, 500, '2'],
  [1_200, 500, '701'],
])('Of %d jobs the newest %d are listed, and the next page begins after %s', async (count, listed, next) => {
  for (const list of [listJobs(contextWith(count), CALLER, {}), listNewestJobs(contextWith(count), CALLER)]) {
    const page = await list;
    expect([page.jobs.length, page.size, page.next]).toEqual([listed, 500, next]);
  }
});

test('Pages of any size follow each other without a gap', async () => {
  const context = contextWith(7);
  const ids: number[] = [];
  for (let after: string | undefined = '8'; after !== undefined; ) {
    const page = await listJobs(context, CALLER, { after, size: 3 });
    ids.push(...page.jobs.map(({ id }) => id));
    after = page.next;
  }
  expect(ids).toEqual([7, 6, 5, 4, 3, 2, 1]);
});
