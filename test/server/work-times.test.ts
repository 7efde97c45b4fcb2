import { expect, test } from 'vitest';
import { WorkTimes } from '../../src/server/work-times.ts';
import { MovableClock } from './movable-clock.ts';

function workTimes(count: number, least?: number) {
  const clock = new MovableClock();
  const times = new WorkTimes({ count, clock, least });
  const work = (ms: number) => {
    times.begin('x');
    clock.forward(ms);
    times.learn('x');
    times.end('x');
  };
  return { clock, times, work };
}

test('Nothing is expected before anything is known, or where nobody works', () => {
  expect(workTimes(2).times.expectedWait('a', 0)).toBeUndefined();
  expect(workTimes(0, 300).times.expectedWait('a', 0)).toBeUndefined();
});

test('Before the first job is done it is expected to take the least that a job takes', () => {
  const { times, work } = workTimes(1, 300);
  expect(times.expectedWait('a', 0)).toBe(300);
  work(310);
  expect(times.expectedWait('a', 0)).toBe(310);
});

test('A job takes what the last ones took in the middle: one that hung says nothing', () => {
  const { times, work } = workTimes(1);
  for (const ms of [900, 20, 22, 21, 5_000]) work(ms);
  expect(times.expectedWait('a', 0)).toBe(22);
  for (let n = 0; n < 20; n++) work(300);
  expect(times.expectedWait('a', 0)).toBe(300);
});

test('Jobs ahead are shared out among the workers', () => {
  const { times, work } = workTimes(2);
  work(100);
  expect([0, 1, 2, 3, 4].map((ahead) => times.expectedWait('a', ahead))).toEqual([100, 100, 200, 200, 300]);
});

test('A worker that is busy is free again when its job is due', () => {
  const { times, work, clock } = workTimes(2);
  work(100);
  times.begin('one');
  clock.forward(70);
  expect([0, 1, 2].map((ahead) => times.expectedWait('a', ahead))).toEqual([100, 130, 200]);
  times.begin('two');
  expect([0, 1, 2].map((ahead) => times.expectedWait('a', ahead))).toEqual([130, 200, 230]);
  times.end('one');
  expect(times.expectedWait('a', 0)).toBe(100);
});

test('A job under way needs the rest of its time, and none when it is late', () => {
  const { times, work, clock } = workTimes(1);
  work(100);
  times.begin('a');
  clock.forward(30);
  expect(times.expectedWait('a', 0)).toBe(70);
  clock.forward(100);
  expect(times.expectedWait('a', 0)).toBe(0);
  expect(times.expectedWait('b', 0)).toBe(100);
});
