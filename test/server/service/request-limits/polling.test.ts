import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { PLANS } from '../../../../src/server/service/plans.ts';
import { Polling, verifyPolling } from '../../../../src/server/service/request-limits.ts';
import type { JobRow } from '../../../../src/server/store/schema/tables.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

describe('Looks at one job', () => {
  function look(polling: Polling, job: string, times: number): number[] {
    return Array.from({ length: times }, () => polling.count(job));
  }

  test('are limited to ten in ten seconds; a refusal names the time of the next, to the millisecond', () => {
    const clock = new MovableClock();
    const polling = new Polling(clock);
    expect(look(polling, 'a', 10)).toEqual(Array(10).fill(0));
    expect(look(polling, 'a', 1)).toEqual([9_500]);
    clock.forward(9_499);
    expect(look(polling, 'a', 1)).toEqual([1]);
    clock.forward(1);
    expect(look(polling, 'a', 11)).toEqual([...Array(10).fill(0), 9_500]);
  });

  test('once a second are always allowed, even if the first one is late', () => {
    const clock = new MovableClock();
    const polling = new Polling(clock);
    clock.forward(400);
    const waits = look(polling, 'a', 1);
    clock.forward(600);
    for (let n = 0; n < 30; n++) {
      waits.push(polling.count('a'));
      clock.forward(1_000);
    }
    expect(waits).toEqual(Array(31).fill(0));
  });

  test('are counted for each job by itself', () => {
    const polling = new Polling(new MovableClock());
    look(polling, 'a', 11);
    expect(look(polling, 'b', 1)).toEqual([0]);
  });

  test('are remembered however many other jobs are looked at', () => {
    const polling = new Polling(new MovableClock());
    look(polling, 'a', 10);
    for (let n = 0; n < 30_000; n++) polling.count(`job ${n}`);
    expect(look(polling, 'a', 1)).toEqual([9_500]);
  });
});

test('A poll within the limit passes; one beyond it is refused with the time of the next', async () => {
  const { db } = await openOwnStore(await ownFolder());
  const clock = new MovableClock();
  const caller: Caller = {
    kind: 'anonymous',
    network: '192.0.2.1',
    owner: 'ann',
    plan: { ...PLANS.free, burst: 1 },
    page: undefined,
  };
  const look = async (wait: number) => {
    const polling = { count: () => wait } as unknown as Polling;
    await verifyPolling({ db, clock, polling }, caller, { uuid: 'a' } as JobRow);
  };
  await expect(look(0)).resolves.toBeUndefined();
  await expect(look(700)).rejects.toMatchObject({
    code: 'rate_limit',
    message: 'A job may be requested 10 times in 10 s; the job list returns all of them at once.',
    details: { rateLimit: { next: { absolute: clock.now() + 700, relative: 700 } } },
  });
});
