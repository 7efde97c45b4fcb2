import { describe, expect, test } from 'vitest';
import { AWAKE, type Clock, sleepOrEvent, sleepOrWake } from '../../../src/base/clock.ts';

/** A clock whose sleeps end by hand or by their signal. */
function handClock() {
  const sleeps: { ms: number; end: () => void; fail: (error: unknown) => void; signal?: AbortSignal }[] = [];
  const sleep: Clock['sleep'] = async (ms, signal) =>
    await new Promise<void>((end, fail) => {
      sleeps.push({ ms, end, fail, ...(signal && { signal }) });
      signal?.addEventListener('abort', () => fail(signal.reason));
    });
  return { sleeps, clock: { now: () => 0, monotonic: () => 0, sleep } };
}

describe('sleepOrWake', () => {
  test('ends without an error when its signal aborts', async () => {
    const { clock } = handClock();
    const nap = new AbortController();
    const slept = sleepOrWake(clock, 1_000, nap.signal);
    nap.abort(AWAKE);
    await expect(slept).resolves.toBeUndefined();
  });

  test('passes on any other failure of the clock', async () => {
    const { clock, sleeps } = handClock();
    const slept = sleepOrWake(clock, 1_000, new AbortController().signal);
    sleeps[0]?.fail(new Error('broken clock'));
    await expect(slept).rejects.toThrow('broken clock');
  });
});

describe('sleepOrEvent', () => {
  test('ends at the event, stops listening and cancels its timer', async () => {
    const { clock, sleeps } = handClock();
    let wake = () => {};
    let stopped = 0;
    const waited = sleepOrEvent(clock, 1_000, (heard) => {
      wake = heard;
      return () => stopped++;
    });
    expect(sleeps).toMatchObject([{ ms: 1_000 }]);
    wake();
    await waited;
    expect(stopped).toBe(1);
    expect(sleeps[0]?.signal?.aborted).toBe(true);
  });

  test('ends when the time is over, and stops listening', async () => {
    const { clock, sleeps } = handClock();
    let stopped = 0;
    const waited = sleepOrEvent(clock, 1_000, () => () => stopped++);
    sleeps[0]?.end();
    await waited;
    expect(stopped).toBe(1);
  });

  test('without a time waits for the event and takes no timer', async () => {
    const { clock, sleeps } = handClock();
    let wake = () => {};
    const waited = sleepOrEvent(clock, undefined, (heard) => {
      wake = heard;
      return () => {};
    });
    expect(sleeps).toEqual([]);
    wake();
    await waited;
  });

  test("uses the clock's alarm if it has one, and cancels it at the event", async () => {
    const { clock, sleeps } = handClock();
    const alarms: { ms: number; ring: () => void }[] = [];
    let given = 0;
    const alarm: Clock['alarm'] = (ms, ring) => {
      alarms.push({ ms, ring });
      return () => given++;
    };
    const heard = sleepOrEvent({ ...clock, alarm }, 1_000, (wake) => {
      wake();
      return () => {};
    });
    await heard;
    expect(given).toBe(1);
    const late = sleepOrEvent({ ...clock, alarm }, 2_000, () => () => {});
    alarms[1]?.ring();
    await late;
    expect(alarms).toMatchObject([{ ms: 1_000 }, { ms: 2_000 }]);
    expect(sleeps).toEqual([]);
  });

  test('passes on a failure of the clock', async () => {
    const { clock, sleeps } = handClock();
    const waited = sleepOrEvent(clock, 1_000, () => () => {});
    sleeps[0]?.fail(new Error('broken clock'));
    await expect(waited).rejects.toThrow('broken clock');
  });
});
