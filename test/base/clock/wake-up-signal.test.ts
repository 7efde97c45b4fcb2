import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Clock, WakeUpSignal } from '../../../src/base/clock.ts';
import { fakeClock } from '../../support/client/fake-clock.ts';

interface Sleep {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly end: () => void;
}

/** A clock whose sleeps end when the test says so. */
function handClock(): Clock & { readonly sleeps: Sleep[] } {
  const sleeps: Sleep[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => reject(signal.reason));
    sleeps.push({ ms, signal, end: resolve });
    await promise;
  };
  return { now: () => 0, monotonic: () => 0, sleep, sleeps };
}

/** Whether it has settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  void promise.then(note, note);
  await new Promise(setImmediate);
  return settled;
}

const never = new AbortController().signal;

describe('Waiting for a wake-up signal', () => {
  test('ends when it rings', async () => {
    const wakeUp = new WakeUpSignal(handClock());
    const waiting = wakeUp.wait(undefined, never);
    expect(await isSettled(waiting)).toBe(false);
    wakeUp.notify();
    await waiting;
  });

  test('ends when the time is over', async () => {
    const clock = handClock();
    const waiting = new WakeUpSignal(clock).wait(250, never);
    expect(await isSettled(waiting)).toBe(false);
    expect(clock.sleeps.map(({ ms }) => ms)).toEqual([250]);
    clock.sleeps[0]?.end();
    await waiting;
  });

  test('returns at once if the signal rang since the last wait, however often', async () => {
    const clock = handClock();
    const wakeUp = new WakeUpSignal(clock);
    wakeUp.notify();
    wakeUp.notify();
    await wakeUp.wait(1_000, never);
    expect(clock.sleeps).toEqual([]);
    expect(await isSettled(wakeUp.wait(undefined, never))).toBe(false);
  });

  test('does not remember the ring that ended it', async () => {
    const wakeUp = new WakeUpSignal(handClock());
    const waiting = wakeUp.wait(undefined, never);
    wakeUp.notify();
    wakeUp.notify();
    await waiting;
    expect(await isSettled(wakeUp.wait(undefined, never))).toBe(false);
  });

  test('hears a ring that comes after the time was over', async () => {
    const wakeUp = new WakeUpSignal(fakeClock());
    await wakeUp.wait(10, never);
    wakeUp.notify();
    await wakeUp.wait(undefined, never);
  });

  test('ends with the reason when it is aborted', async () => {
    const stop = new AbortController();
    const waiting = new WakeUpSignal(handClock()).wait(1_000, stop.signal);
    stop.abort(new Error('Enough.'));
    await expect(waiting).rejects.toThrow('Enough.');
  });

  test('returns at once if it was aborted before, even if the signal rang', async () => {
    const clock = handClock();
    const wakeUp = new WakeUpSignal(clock);
    await expect(wakeUp.wait(1_000, AbortSignal.abort())).rejects.toThrow('aborted');
    wakeUp.notify();
    await expect(wakeUp.wait(1_000, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(clock.sleeps).toEqual([]);
  });

  test('ends as aborted when both happen', async () => {
    const stop = new AbortController();
    const wakeUp = new WakeUpSignal(handClock());
    const waiting = wakeUp.wait(undefined, stop.signal);
    wakeUp.notify();
    stop.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });

  test('leaves neither a timer nor a listener behind', async () => {
    const clock = handClock();
    const wakeUp = new WakeUpSignal(clock);
    const stop = new AbortController();
    for (let n = 0; n < 50; n++) {
      const waiting = wakeUp.wait(60_000, stop.signal);
      wakeUp.notify();
      await waiting;
    }
    expect(clock.sleeps.map(({ signal }) => signal?.aborted)).toEqual(Array(50).fill(true));
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});
