import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Polling } from '../../../../src/server/service/limits/polling.ts';

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
