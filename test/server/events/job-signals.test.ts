import { expect, test } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { JobSignals } from '../../../src/server/events.ts';

/** Sleeps only as long as nobody aborts: whoever is not woken stays asleep. */
const endless: Clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
};

test('A signal of new work says how many workers it is for, if that is known', () => {
  const signals = new JobSignals();
  const heard: number[] = [];
  signals.onWork((jobs) => void heard.push(jobs));
  signals.work(1);
  signals.work();
  signals.storeChanged();
  expect(heard).toEqual([1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test('A waiter for a job wakes at its end, not at that of another job', async () => {
  const signals = new JobSignals();
  const heard: string[] = [];
  const wait = async (uuid: string) => {
    await signals.listenForJob(uuid, 1, endless).heard;
    heard.push(uuid);
  };
  const both = [wait('a'), wait('b')];
  signals.finished({ uuid: 'b', owner: 'ann' });
  await both[1];
  expect(heard).toEqual(['b']);
  signals.storeChanged();
  await both[0];
  expect(heard).toEqual(['b', 'a']);
});

test('Listening that is stopped leaves no timer behind', async () => {
  let aborted = false;
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      }),
  };
  const { heard, stop } = new JobSignals().listenForJob('a', 30_000, clock);
  stop();
  await heard;
  expect(aborted).toBe(true);
});

test('A listener receives every job until it stops', () => {
  const signals = new JobSignals();
  const heard: unknown[] = [];
  const stop = signals.listen({
    accepted: (owner) => void heard.push(['accepted', owner]),
    finished: (job) => void heard.push(['finished', job]),
    storeChanged: () => void heard.push(['storeChanged']),
  });
  const tellAll = () => {
    signals.accepted('ann');
    signals.finished({ uuid: 'a', owner: 'ann' });
    signals.storeChanged();
  };
  tellAll();
  const all = [['accepted', 'ann'], ['finished', { uuid: 'a', owner: 'ann' }], ['storeChanged']];
  expect(heard).toEqual(all);
  stop();
  tellAll();
  expect(heard).toEqual(all);
});
