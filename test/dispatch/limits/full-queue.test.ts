import { expect, test } from 'vitest';
import { FullQueue } from '../../../src/dispatch/limits.ts';

test('A queue that stays full is waited for longer each time, up to a limit', () => {
  const queue = new FullQueue(() => 0.5);
  const pauses: number[] = [];
  for (let n = 0, now = 0; n < 8; n++) {
    queue.refused(now);
    pauses.push(Math.round(queue.openAt - now));
    now = queue.openAt;
  }
  expect(pauses).toEqual([300, 480, 768, 1_229, 1_966, 3_146, 4_950, 4_950]);
});

test('Refusals at the same moment count once', () => {
  const queue = new FullQueue(() => 0.5);
  for (let n = 0; n < 5; n++) queue.refused(0);
  expect(queue.openAt).toBe(300);
});

test('An accepted submission makes the next pause short again, and a free slot ends it', () => {
  const queue = new FullQueue(() => 0.5);
  queue.refused(0);
  queue.refused(300);
  queue.accepted();
  queue.refused(1_000);
  expect(queue.openAt).toBe(1_300);
  queue.roomSeen();
  expect(queue.openAt).toBe(0);
});

test('A refusal right after an accepted submission is waited for like a first one', () => {
  const queue = new FullQueue(() => 0.5);
  queue.refused(0);
  queue.accepted();
  queue.refused(0);
  expect(queue.openAt).toBe(300);
});

test('Processes that were refused together do not come back together', () => {
  const pauses = [0, 0.9].map((random) => {
    const queue = new FullQueue(() => random);
    queue.refused(0);
    return queue.openAt;
  });
  expect(pauses).toEqual([200, 380]);
});
