import { expect, test } from 'vitest';
import { WorkTimes } from '../../../../src/server/workers/worker-pool.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';

function workTimes(least?: number) {
  const clock = new MovableClock();
  const times = new WorkTimes(clock, least);
  const work = (ms: number) => {
    times.begin('x');
    clock.forward(ms);
    times.learn('x');
    times.end('x');
  };
  return { clock, times, work };
}

test('There is no typical time before any job was done', () => {
  expect(workTimes().times.typical()).toBeUndefined();
});

test('Before the first job is done it is expected to take the least that a job takes', () => {
  const { times, work } = workTimes(300);
  expect(times.typical()).toBe(300);
  work(310);
  expect(times.typical()).toBe(310);
});

test('The typical time is the median of the last jobs, so one that hung does not count', () => {
  const { times, work } = workTimes();
  for (const ms of [900, 20, 22, 21, 5_000]) work(ms);
  expect(times.typical()).toBe(22);
  for (let n = 0; n < 20; n++) work(300);
  expect(times.typical()).toBe(300);
});

test('Unfinished jobs do not count', () => {
  const { times, clock } = workTimes();
  times.begin('x');
  clock.forward(100);
  times.end('x');
  times.learn('x');
  expect(times.typical()).toBeUndefined();
});
