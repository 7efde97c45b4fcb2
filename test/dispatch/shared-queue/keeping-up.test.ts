import { expect, onTestFinished, test } from 'vitest';
import { Slots, type Submission } from '../../../src/dispatch/limits.ts';
import type { SharedQueue } from '../../../src/dispatch/shared-queue.ts';
import { machineWith, openJob } from '../../support/dispatch/machine.ts';
import { VirtualClock } from '../../support/scripted/virtual-clock.ts';

/** Processes on a clock of the test's own, and what they notice of each other. */
async function processes() {
  const clock = new VirtualClock();
  const { open, broken } = await machineWith(clock);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  /** When this process notices something. */
  const keepUp = (queue: SharedQueue) => {
    const news: number[] = [];
    queue.keepUp(() => void news.push(clock.monotonic()), stop.signal).catch(() => {});
    return news;
  };
  const pass = async (ms: number) => await clock.until(clock.sleep(ms));
  return { clock, open, keepUp, pass, broken };
}

test('A process notices within 50 ms what another one writes, once', async () => {
  const { open, keepUp, pass } = await processes();
  const [other, one] = [await open(), await open()];
  const news = keepUp(one);
  await pass(120);
  expect(news).toEqual([]);
  other.enter();
  await pass(400);
  expect(news).toEqual([150]);
});

test('A process that is alone notices another one within a second', async () => {
  const { open, keepUp, pass } = await processes();
  const one = await open();
  const news = keepUp(one);
  await open();
  await pass(999);
  expect([news, one.isShared]).toEqual([[], false]);
  await pass(1);
  expect([news, one.isShared]).toEqual([[1_000], true]);
});

test('Processes tell each other once a second that they are running', async () => {
  const { open, keepUp, pass } = await processes();
  const [one, other] = [await open(), await open()];
  const news = [keepUp(one), keepUp(other)];
  await pass(30_040);
  for (const { length } of news) {
    expect(length).toBeGreaterThanOrEqual(28);
    expect(length).toBeLessThanOrEqual(31);
  }
  expect([one.isShared, other.isShared]).toEqual([true, true]);
});

test('A change that one process notices reaches the others', async () => {
  const { open, keepUp, pass } = await processes();
  const slots = new Slots<Submission>();
  const [, one] = [await open(slots), await open()];
  keepUp(one);
  await pass(120);
  slots.took(openJob('theirs'));
  expect(one.isElsewhere('theirs')).toBe(false);
  await pass(50);
  expect(one.isElsewhere('theirs')).toBe(true);
});
