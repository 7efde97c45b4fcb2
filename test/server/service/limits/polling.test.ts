import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Caller } from '../../../../src/server/service/callers/caller.ts';
import { Polling, verifyPolling } from '../../../../src/server/service/limits/polling.ts';
import { PLANS } from '../../../../src/server/service/plans/plans.ts';
import type { JobRow } from '../../../../src/server/store/schema/job-tables.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

test('Counting looks keeps no process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  await new Polling().count('a');
  expect(timers()).toBe(before);
});

describe('Looks at one job', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function look(polling: Polling, job: string, times: number): Promise<number[]> {
    const waits: number[] = [];
    for (let n = 0; n < times; n++) waits.push(await polling.count(job));
    return waits;
  }

  test('are ten in ten seconds; then it is said when the next may come, to the millisecond', async () => {
    const polling = new Polling();
    expect(await look(polling, 'a', 10)).toEqual(Array(10).fill(0));
    expect(await look(polling, 'a', 1)).toEqual([10_000]);
    vi.advanceTimersByTime(9_999);
    expect(await look(polling, 'a', 1)).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(await look(polling, 'a', 11)).toEqual([...Array(10).fill(0), 10_000]);
  });

  test('are counted for each job by itself', async () => {
    const polling = new Polling();
    await look(polling, 'a', 11);
    expect(await look(polling, 'b', 1)).toEqual([0]);
  });

  test('are forgotten when their window is over', async () => {
    const polling = new Polling();
    for (let n = 0; n < 1_000; n++) await polling.count(`job ${n}`);
    expect(vi.getTimerCount()).toBe(1_000);
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('A look within the limit passes; one beyond it is refused, and told when the next may come', async () => {
  const { db } = await openOwnStore(await ownFolder());
  const clock = new MovableClock();
  const caller: Caller = {
    kind: 'anonymous',
    owner: 'ann',
    plan: { ...PLANS.free, burst: 1 },
    page: undefined,
  };
  const look = async (wait: number) => {
    const polling = { count: async () => wait } as unknown as Polling;
    await verifyPolling({ db, clock, polling }, caller, { uuid: 'a' } as JobRow);
  };
  await expect(look(0)).resolves.toBeUndefined();
  await expect(look(700)).rejects.toMatchObject({
    code: 'rate_limit',
    details: { rateLimit: { next: { absolute: clock.now() + 700, relative: 700 } } },
  });
});
