import { expect, test } from 'vitest';
import { LookTimes } from '../../../../src/server/generators/upstream/look-times.ts';

const job = (since: number, eta?: number) => ({ since, isNew: true, eta });

test('With nothing learned the first look comes at the eta, at most as late as a usual job takes', () => {
  const times = new LookTimes();
  expect(times.next([job(1_000)], 900)).toBe(1_100);
  expect(times.next([job(1_000, 1_500), job(1_000, 4_000)], 900)).toBe(2_500);
  expect(times.next([job(1_000, 50_000)], 900)).toBe(3_000);
});

test.each([
  ['an hour ahead', 3_600_000],
  ['in the past', -4_000],
  ['now', 0],
  ['compared with a time in seconds', 1.7e12],
])('An eta %s is ignored', (_, eta) => {
  expect(new LookTimes().next([job(1_000, eta)], 900)).toBe(1_100);
});

test('Looks are aimed a little before the usual end, so that a service that gets faster is seen to', () => {
  const times = new LookTimes();
  times.ended(job(0), 1_000);
  expect(times.next([job(5_000, 60_000)], 5_000)).toBe(5_900);
  for (let start = 10_000, n = 0; n < 100; n++, start += 10_000) {
    times.ended(job(start), Math.max(start + 200, times.next([job(start)], start)));
  }
  expect(times.next([job(0)], 0)).toBeLessThan(250);
});

test('A late job is looked for ever more rarely, but every five seconds', () => {
  const times = new LookTimes();
  times.ended(job(0), 800);
  const pauses: number[] = [];
  for (let look = 720, n = 0; n < 30; n++) {
    const next = times.next([job(0)], look);
    pauses.push(next - look);
    look = next;
  }
  expect(pauses[0]).toBe(100);
  expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
  expect(pauses.at(-1)).toBe(5_000);
});

test('A job of an earlier process is looked for at once, and teaches nothing', () => {
  const times = new LookTimes();
  times.ended(job(0), 10_000);
  const old = { since: 50_000, isNew: false, eta: undefined };
  times.ended(old, 50_001);
  expect(times.next([old], 40_000)).toBe(50_000);
  expect(times.next([job(60_000)], 60_000)).toBe(69_000);
});

test('However many jobs there are, looks keep their distance', () => {
  const times = new LookTimes();
  times.ended(job(0), 800);
  const many = Array.from({ length: 50 }, (_, n) => job(n * 10));
  expect(times.next(many, 1_000)).toBe(1_100);
});
