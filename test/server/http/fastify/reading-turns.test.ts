import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Reading } from '../../../../src/server/http/fastify/reading.ts';
import { ReadingTurns, type Stranger } from '../../../../src/server/http/fastify/reading-turns.ts';

/** Strangers of whom nobody has sent anything yet: 30 connections of an address, and one of another. */
function startReading() {
  const strangers: Stranger[] = Array.from({ length: 31 }, (_, n) => ({
    socket: new PassThrough().resume() as unknown as Socket,
    address: n < 30 ? '192.0.2.1' : '192.0.2.2',
  }));
  const clock = { now: 0, monotonic: () => clock.now };
  const turns = new ReadingTurns(new Reading(), () => strangers, clock);
  const parse = (count: number) => {
    for (let n = 0; n < count; n++) turns.parsed();
  };
  const read = () => strangers.flatMap(({ socket }, n) => (socket.isPaused() ? [] : [n]));
  return { turns, clock, strangers, parse, read };
}

const ALL = Array.from({ length: 31 }, (_, n) => n);

test('127 requests in each turn stop nobody', async () => {
  const { parse, read } = startReading();
  for (let turn = 0; turn < 5; turn++) {
    parse(127);
    await nextTurn();
  }
  expect(read()).toEqual(ALL);
});

test('After 128 requests in a turn strangers are read a few in each turn, one of each address after the other', async () => {
  const { parse, read } = startReading();
  parse(128);
  expect(read()).toEqual([]);
  await nextTurn();
  expect(read()).toEqual([0, 1, 2, 3, 4, 5, 6, 30]);
  for (const count of [16, 24, 31]) {
    await nextTurn();
    expect(read()).toHaveLength(count);
  }
});

test('One that waits for its turn is not put off by the next burst', async () => {
  const { parse, read } = startReading();
  parse(128);
  await nextTurn();
  parse(128);
  await nextTurn();
  expect(read()).toEqual([7, 8, 9, 10, 11, 12, 13, 30]);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(read()).toEqual(ALL);
  parse(128);
  await nextTurn();
  expect(read()).toEqual([0, 1, 2, 3, 4, 5, 6, 30]);
});

test('While new connections come, one that waits goes on every 5 ms, and the others when no more come', async () => {
  const { turns, clock, parse, read } = startReading();
  const accept = async () => {
    turns.connected();
    await nextTurn();
  };
  parse(128);
  await accept();
  expect(read()).toEqual([0]);
  for (let turn = 0; turn < 20; turn++) await accept();
  expect(read()).toEqual([0]);
  clock.now += 5;
  await accept();
  expect(read()).toEqual([0, 30]);
  await nextTurn();
  expect(read()).toHaveLength(10);
});

test('Requests of new connections count together until no more come', async () => {
  const { turns, parse, read } = startReading();
  for (let turn = 0; turn < 3; turn++) {
    parse(40);
    turns.connected();
    await nextTurn();
  }
  expect(read()).toEqual(ALL);
  parse(8);
  expect(read()).toEqual([]);
});
