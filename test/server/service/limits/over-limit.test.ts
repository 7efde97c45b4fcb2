import { expect, test } from 'vitest';
import { asRateLimitRefusal, overLimitRefusal } from '../../../../src/server/service/limits.ts';
import { Refusal } from '../../../../src/server/service/refusal.ts';
import { recallCaller } from '../../../../src/server/store/callers.ts';
import type { Via } from '../../../../src/server/store/schema/tables.ts';
import { LIMITS, newJob } from '../../../contract/jobs.ts';
import { mustClaim } from '../../../contract/queue-steps.ts';
import { callerWith, limitsContext } from '../../../support/server/limited-caller.ts';

const CALLER = callerWith({});

/** Jobs that were accepted a second after the other, and how long jobs take. */
async function blocked({ typical, jobs }: { typical?: number; jobs: readonly Via[] }) {
  const context = await limitsContext(typical === undefined ? {} : { typical });
  for (const via of jobs) {
    await context.queue.submit(newJob({ via }), LIMITS);
    context.clock.forward(1_000);
  }
  const memory = await recallCaller(context.db, 'ann', context.clock.now());
  return { context, memory };
}

test.each([
  ['is expected to, with a tenth and 100 ms on top', 5_000, 4_000 * 1.1 + 100],
  ['has taken so far, if that is more than expected', 500, 1_000],
])(
  'A caller whose slots are all taken is asked to wait as long as a job under way %s',
  async (_, typical, wait) => {
    const { context, memory } = await blocked({ typical, jobs: [] });
    await context.queue.submit(newJob(), LIMITS);
    await mustClaim(context.queue, 'here/1/x#0');
    context.clock.forward(1_000);
    const over = { kind: 'full', pending: 5, memory } as const;
    const { code, message, details } = await overLimitRefusal(context, over, {
      caller: CALLER,
      via: 'queue',
    });
    const next = { absolute: context.clock.now() + wait, relative: wait };
    expect({ code, next: details.rateLimit?.next }).toEqual({ code: 'job_limit', next });
    expect(message).toContain('All 5 of your slots');
  },
);

test('The wait is for the oldest job, and never less than a second', async () => {
  const { context, memory } = await blocked({ jobs: ['queue', 'queue', 'queue'] });
  const over = { kind: 'full', pending: 3, memory } as const;
  const waits = async () =>
    (await overLimitRefusal(context, over, { caller: CALLER, via: 'queue' })).details.rateLimit?.next
      .relative;
  expect(await waits()).toBe(3_000);
  for (const job of await context.queue.list('ann', 9))
    await context.queue.giveUpWaiting(job.owner, { code: 'job_failed', message: '', passing: false });
  expect(await waits()).toBe(1_000);
});

test('A caller with a generation of version 1 under way waits for that, not for older jobs in the queue', async () => {
  const { context, memory } = await blocked({ jobs: ['queue', 'v1', 'queue'] });
  const over = { kind: 'busy', running: 1, memory } as const;
  const { code, message, details } = await overLimitRefusal(context, over, { caller: CALLER, via: 'v1' });
  expect([code, details.rateLimit?.next.relative]).toEqual(['concurrency_limit', 2_000]);
  expect(message).toContain('Wait for your generation under way');
  const two = await overLimitRefusal(context, { ...over, running: 2 }, { caller: CALLER, via: 'v1' });
  expect(two.message).toContain('Wait for your 2 generations under way');
});

test('If a limit opens later than a job ends, the wait is for the limit', async () => {
  const { context } = await blocked({ jobs: ['queue'] });
  const caller = callerWith({ perMinute: 1 });
  const memory = await recallCaller(context.db, 'ann', context.clock.now());
  const over = { kind: 'full', pending: 1, memory } as const;
  const { details } = await overLimitRefusal(context, over, { caller, via: 'queue' });
  expect(details.rateLimit?.next.relative).toBeGreaterThan(50_000);
});

test('A shared limit says when it opens, in whole seconds for the header', async () => {
  const { context, memory } = await blocked({ jobs: [] });
  const opensAt = context.clock.now() + 60_001;
  const over = { kind: 'crowded', opensAt, memory } as const;
  const { code, details } = await overLimitRefusal(context, over, { caller: CALLER, via: 'queue' });
  expect(code).toBe('anonymous_limit');
  expect(details.headers).toEqual({ 'Retry-After': '61' });
  expect(details.rateLimit?.next).toEqual({ absolute: opensAt, relative: 60_001 });
});

test('The message for POST /v2/generate says how long to wait, in the words that clients look for', async () => {
  const { context, memory } = await blocked({ jobs: [] });
  const over = { kind: 'full', pending: 1, memory } as const;
  const refusal = await overLimitRefusal(context, over, { caller: CALLER, via: 'queue' });
  const { relative } = refusal.details.rateLimit?.next ?? {};
  for (const one of [refusal, new Refusal('rate_limit', refusal.details)])
    expect(asRateLimitRefusal(one).message).toMatch(new RegExp(`, next request in ${relative}ms$`));
  expect(asRateLimitRefusal(refusal).details.notes).toEqual([
    { code: 'job_limit', message: refusal.message },
  ]);
});

test('For POST /v2/generate, full slots become a rate limit, and other refusals stay', () => {
  const full = new Refusal('job_limit', { message: 'All taken.', notes: [{ code: 'a', message: 'b' }] });
  const told = asRateLimitRefusal(full);
  expect([told.code, told.message]).toEqual(['rate_limit', 'All taken.']);
  expect(told.details.notes).toEqual([
    { code: 'job_limit', message: 'All taken.' },
    { code: 'a', message: 'b' },
  ]);
  const other = new Refusal('invalid_request');
  expect(asRateLimitRefusal(other)).toBe(other);
});
