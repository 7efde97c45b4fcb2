/** Jobs that are polled singly: their list is rarely requested. */
import { describe, expect, test } from 'vitest';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';
import type { Script } from '../../../support/scripted/scripted-service.ts';

/** When each job was polled singly without having ended; a result that a list has announced may be fetched at once. */
function polls(): { readonly alter: NonNullable<Script['alter']>; readonly byJob: Map<string, number[]> } {
  const byJob = new Map<string, number[]>();
  const alter: NonNullable<Script['alter']> = (asked, { body }, now) => {
    const id = body.job?.id as string;
    if (asked === 'job' && body.job.status === 'processing') byJob.set(id, [...(byJob.get(id) ?? []), now]);
  };
  return { alter, byJob };
}

const UNEVEN = (n: number) => 300 + 1_500 * ((n * 0.618_034) % 1);

describe('A job', () => {
  test.each([
    ['takes as long as all others', () => 450],
    ['takes as long as all others, over a second', () => 1_700],
    ['gets stuck for 8 s once in a while', (n: number) => (n % 12 === 11 ? 8_000 : 450)],
    ['takes any time', UNEVEN],
  ])('that %s is polled singly once a second at most', async (_, serviceTime) => {
    const { alter, byJob } = polls();
    const { clock, batch } = await prepareScripted({ tellsEnds: true, serviceTime, alter });
    const { made } = await clock.until(batch(40));
    expect(made).toBe(40);
    const pauses = [...byJob.values()].flatMap((at) => at.slice(1).map((time, n) => time - at[n]!));
    expect(Math.min(...pauses, Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(1_000);
  });
});

describe('Jobs of another machine', () => {
  test('that come while we poll single jobs cause at most one refusal per free slot', async () => {
    const { clock, service, batch } = await prepareScripted({ tellsEnds: true, serviceTime: () => 2_500 });
    const running = batch(30);
    // The second wave runs until after 5 s; its jobs are the first that are polled singly.
    const others = clock.sleep(2_900).then(() => {
      service.occupy(20_000);
      service.occupy(20_000);
    });
    const [{ made }] = await clock.until(Promise.all([running, others]));
    expect(made).toBe(30);
    expect(service.refusals.length).toBeLessThanOrEqual(2);
  });
});
