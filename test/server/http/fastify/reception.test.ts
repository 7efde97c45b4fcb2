import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Reception } from '../../../../src/server/http/fastify/reception.ts';

/** A reception whose clock stands still until it is moved, and the names of the connections that it has taken in. */
function startReception() {
  const clock = { now: 0, monotonic: () => clock.now };
  const reception = new Reception(clock);
  const taken: string[] = [];
  const add = (name: string, address = '192.0.2.1', hasFew = false) =>
    reception.add(() => taken.push(name), { address, hasFew });
  return { clock, taken, add };
}

const NAMES = Array.from({ length: 30 }, (_, n) => `c${n}`);

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

test('A connection that comes by itself is taken in at once', async () => {
  const { taken, add } = startReception();
  add('first');
  await turns(3);
  add('second');
  expect(taken).toEqual(['first', 'second']);
});

test('Connections that come together are taken in a few in each turn, in their order', async () => {
  const { taken, add } = startReception();
  for (const name of NAMES) add(name);
  expect(taken).toEqual(['c0']);
  const counts: number[] = [];
  while (taken.length < NAMES.length) {
    const before = taken.length;
    await nextTurn();
    counts.push(taken.length - before);
  }
  expect(Math.max(...counts)).toBe(4);
  expect(taken).toEqual(NAMES);
});

test('Addresses take turns, and those with few connections go first', async () => {
  const { taken, add } = startReception();
  for (const name of NAMES) add(name);
  add('other', '192.0.2.2');
  add('few', '192.0.2.3', true);
  await turns(30);
  expect(taken).toHaveLength(32);
  expect(taken.slice(0, 5)).toEqual(['c0', 'few', 'c1', 'other', 'c2']);
});

test('While more connections come, one of those that wait is taken in each millisecond', async () => {
  const { clock, taken, add } = startReception();
  const coming = async () => {
    for (const name of NAMES) {
      add(name);
      await nextTurn();
    }
  };
  await coming();
  expect(taken).toEqual(['c0']);
  clock.now += 1;
  await coming();
  expect(taken).toEqual(['c0', 'c1']);
  await turns(60);
  expect(taken).toHaveLength(60);
});
