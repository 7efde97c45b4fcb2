import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BurstQueue } from '../../../../src/server/http/fastify/burst-queue.ts';

/** A queue whose clock stands still until it is moved, and the names of the requests that have begun. */
function startQueue() {
  const clock = { now: 0, monotonic: () => clock.now };
  const queue = new BurstQueue(clock);
  const begun: string[] = [];
  const add = (name: string, isUrgent = false) => queue.add(() => begun.push(name), { isUrgent });
  return { queue, clock, begun, add };
}

const NAMES = Array.from({ length: 50 }, (_, n) => `r${n}`);

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

test('A request that comes by itself begins at once', () => {
  const { begun, add } = startQueue();
  add('only');
  expect(begun).toEqual(['only']);
});

test('Requests that come together begin a few in each turn, in their order', async () => {
  const { begun, add } = startQueue();
  for (const name of NAMES) add(name);
  expect(begun).toEqual(NAMES.slice(0, 8));
  await turns(100);
  expect(begun).toEqual(NAMES);
});

test('An urgent request does not wait for those before it', () => {
  const { begun, add } = startQueue();
  for (const name of NAMES) add(name);
  add('health', true);
  expect(begun).toEqual([...NAMES.slice(0, 8), 'health']);
});

test('Waiting requests let new connections go first, for a few milliseconds each', async () => {
  const { queue, clock, begun, add } = startQueue();
  add('first');
  queue.connected();
  for (const name of NAMES) add(name);
  const connecting = async () => {
    for (let turn = 0; turn < 100; turn++) {
      queue.connected();
      await nextTurn();
    }
  };
  await connecting();
  expect(begun).toEqual(['first']);
  clock.now += 5;
  await connecting();
  expect(begun).toEqual(['first', 'r0']);
  await turns(100);
  expect(begun).toEqual(['first', ...NAMES]);
});
