import { expect, test } from 'vitest';
import { type SubmitContext, submitBatch } from '../../../../../src/server/service/submitting/submit.ts';
import { LIMITS, newJob } from '../../../../contract/jobs.ts';
import { callerWith, limitsContext } from '../../../../support/server/limited-caller.ts';

test.each([
  ['minute', { perMinute: 4 }, 61_000],
  ['hour', { perHour: 4 }, 3_630_000],
])('A batch may use up the %s exactly, and otherwise learns when it fits', async (_, limits, wait) => {
  const context = await limitsContext();
  const caller = callerWith(limits);
  for (let n = 0; n < 2; n++) await context.queue.submit(newJob(), LIMITS);
  const read: number[] = [];
  const send = async (size: number) =>
    await submitBatch(context as unknown as SubmitContext, {
      caller,
      inputs: Array.from({ length: size }, (_, item) => () => {
        read.push(item);
        throw new Error('unreadable');
      }),
      idempotencyKey: undefined,
    });
  await expect(send(3)).rejects.toMatchObject({
    code: 'rate_limit',
    details: { rateLimit: { next: { relative: wait } } },
  });
  expect(read).toEqual([]);
  expect(await send(2)).toHaveLength(2);
  expect(read).toEqual([0, 1]);
});
