import { describe, expect, test } from 'vitest';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';
import { sampled } from '../../../support/setup/extent.ts';

/** The most that were asked for within any second. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

describe('Processes of one key on one data folder', () => {
  test.each(sampled([2, 3], 2, 1))(
    '(%i) have five jobs together, never one more, and no needless refusal',
    async (count) => {
      const { clock, service, batch } = await prepareScripted();
      const batches = Array.from({ length: count }, (_, n) => batch(20, { from: 100 * n }));
      const ended = await clock.until(Promise.all(batches));
      expect(ended.map(({ made }) => made)).toEqual(Array(count).fill(20));
      expect([service.mostUnfinished, service.refusals, service.jobs.length]).toEqual([5, [], 20 * count]);
      expect(clock.monotonic()).toBeLessThanOrEqual(1.35 * ((20 * count * 450) / 5) + 500);
    },
  );

  test('give no picture two jobs, whoever comes first', async () => {
    const { clock, service, batch } = await prepareScripted();
    const ended = await clock.until(Promise.all([batch(20), batch(20, { purpose: 'another' })]));
    expect(ended.map(({ made }) => made)).toEqual([20, 20]);
    expect([service.jobs.length, service.mostUnfinished]).toEqual([20, 5]);
  });

  const waves = [
    [2, 1_500],
    [3, 1_500],
    [3, 450],
    [3, 5_000],
  ] as const;
  test.each(sampled(waves, 2))(
    '(%i) look at the list together: at most 1.5 times a wave of %i ms, twice a second',
    async (count, serviceTime) => {
      const { clock, service, batch } = await prepareScripted({ serviceTime: () => serviceTime });
      await clock.until(Promise.all(Array.from({ length: count }, (_, n) => batch(10, { from: 100 * n }))));
      const { list } = service.requests;
      const waves = clock.monotonic() / serviceTime;
      expect(clock.monotonic()).toBeLessThanOrEqual(1.35 * 2 * count * serviceTime + 500);
      // Besides, one at first contact and two before any job has ended.
      expect(list.length).toBeLessThanOrEqual(Math.ceil(1.5 * waves) + 3);
      if (serviceTime > 1_000) expect(mostInASecond(list)).toBeLessThanOrEqual(2);
    },
  );

  test.each(sampled([2, 3], 2))(
    '(%i) share a rate window of 20 submissions, without a refusal',
    async (count) => {
      const { clock, service, batch } = await prepareScripted({ perMinute: 20 });
      const batches = Array.from({ length: count }, (_, n) => batch(18, { from: 100 * n }));
      const ended = await clock.until(Promise.all(batches));
      expect(ended.map(({ made }) => made)).toEqual(Array(count).fill(18));
      expect([service.jobs.length, service.refusals]).toEqual([18 * count, []]);
      // The first window ends after half a minute. One of its submissions may stay unused.
      expect(clock.monotonic()).toBeLessThanOrEqual(30_000 + (count - 2) * 60_000 + 5_000);
    },
  );

  test('that start while a rate window is in use count what was submitted before', async () => {
    const { clock, service, batch } = await prepareScripted({ perMinute: 20 });
    const first = batch(18);
    const later = async (from: number) => {
      await clock.sleep(1_500);
      return await batch(10, { from });
    };
    const ended = await clock.until(Promise.all([first, later(100), later(200)]));
    expect(ended.map(({ made }) => made)).toEqual([18, 10, 10]);
    expect(service.refusals).toEqual([]);
  });

  test('each say that they wait for a rate window, and until when', async () => {
    const { clock, service, batch } = await prepareScripted({ perMinute: 10 });
    const waits: Record<number, (number | undefined)[]> = { 0: [], 100: [] };
    const run = (from: number) =>
      batch(12, {
        from,
        onEvent: (event) => {
          if (event.type === 'waiting' && event.reason === 'limit')
            waits[from]?.push(clock.monotonic() + (event.ms ?? Number.NaN));
        },
      });
    await clock.until(Promise.all([run(0), run(100)]));
    expect(service.refusals).toEqual([]);
    // The clock starts half a minute before the end of the window.
    const end = expect.closeTo(30_000, -2);
    expect([waits[0]?.[0], waits[100]?.[0]]).toEqual([end, end]);
  });

  test('leave slots to jobs of other machines', async () => {
    const { clock, service, batch } = await prepareScripted({ serviceTime: (n) => (n < 2 ? 4_000 : 450) });
    service.occupy(4_000);
    service.occupy(4_000);
    await clock.until(Promise.all([batch(6), batch(6, { from: 100 })]));
    expect([service.mostUnfinished, service.refusals]).toEqual([5, []]);
  });
});
