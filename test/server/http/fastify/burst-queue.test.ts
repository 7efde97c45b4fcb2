import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { BurstQueue, type Rank } from '../../../../src/server/http/fastify/burst-queue.ts';

/** A queue whose clock stands still until it is moved, and the names of the requests that have begun. */
function startQueue() {
  const clock = { now: 0, monotonic: () => clock.now };
  const queue = new BurstQueue(clock);
  const begun: string[] = [];
  const add = (name: string, rank: Rank = 'other', address = '192.0.2.1') =>
    queue.add(() => begun.push(name), { rank, address });
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

describe.each(['keyed', 'other'] as const)('Requests of the rank %s', (rank) => {
  test('that come together begin a few in each turn, in their order', async () => {
    const { begun, add } = startQueue();
    for (const name of NAMES) add(name, rank);
    expect(begun).toEqual(NAMES.slice(0, 8));
    await turns(100);
    expect(begun).toEqual(NAMES);
  });

  test('begin one of each address in turn', async () => {
    const { begun, add } = startQueue();
    for (const name of NAMES) add(name, rank);
    add('a', rank, '192.0.2.2');
    add('b', rank, '192.0.2.2');
    await turns(100);
    expect(begun).toHaveLength(52);
    expect(begun.slice(8, 12)).toEqual(['r8', 'a', 'r9', 'b']);
  });
});

test('An urgent request does not wait for those before it', () => {
  const { begun, add } = startQueue();
  for (const name of NAMES) add(name);
  add('health', 'urgent');
  expect(begun).toEqual([...NAMES.slice(0, 8), 'health']);
});

test('Three requests with a key go before one without', async () => {
  const { begun, add } = startQueue();
  for (const name of NAMES) add(name);
  for (const name of ['k0', 'k1', 'k2', 'k3', 'k4']) add(name, 'keyed');
  await turns(100);
  expect(begun).toHaveLength(55);
  expect(begun.slice(8, 16)).toEqual(['k0', 'k1', 'k2', 'r8', 'k3', 'k4', 'r9', 'r10']);
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
