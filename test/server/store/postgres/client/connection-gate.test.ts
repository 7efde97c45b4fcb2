import { expect, test } from 'vitest';
import { ConnectionGate } from '../../../../../src/server/store/postgres/client.ts';

/** A database that can be gone, behind a gate whose time the test moves. */
function setUp() {
  let now = 0;
  let isGone = false;
  let attempts = 0;
  let answer = Promise.resolve();
  const gate = new ConnectionGate(() => now);
  const connect = async () => {
    attempts++;
    await answer;
    if (isGone) throw new Error('gone');
    return 'connection';
  };
  return {
    ask: async () => await gate.pass(connect),
    /** How many of so many at once got a connection, and by how many attempts. */
    askAll: async (count: number) => {
      attempts = 0;
      const answers = await Promise.allSettled(Array.from({ length: count }, () => gate.pass(connect)));
      return { connected: answers.filter(({ status }) => status === 'fulfilled').length, attempts };
    },
    setGone: (value: boolean) => {
      isGone = value;
    },
    hold: () => {
      const held = Promise.withResolvers<void>();
      answer = held.promise;
      return held.resolve;
    },
    later: (milliseconds: number) => {
      now += milliseconds;
    },
    attempts: () => attempts,
  };
}

test('While the database is reachable, all requests connect', async () => {
  expect(await setUp().askAll(5)).toEqual({ connected: 5, attempts: 5 });
});

test('After a failure, no request connects for a moment, and then one tries for all', async () => {
  const { ask, askAll, setGone, later } = setUp();
  setGone(true);
  await expect(ask()).rejects.toThrow('gone');
  expect(await askAll(50)).toEqual({ connected: 0, attempts: 0 });
  later(400);
  expect(await askAll(50)).toEqual({ connected: 0, attempts: 1 });
});

test('When the request that tries succeeds, all connect', async () => {
  const { ask, askAll, setGone, later } = setUp();
  setGone(true);
  await expect(ask()).rejects.toThrow('gone');
  setGone(false);
  later(400);
  expect(await askAll(5)).toEqual({ connected: 5, attempts: 5 });
});

test('New requests wait while one tries to connect', async () => {
  const { ask, setGone, hold, later, attempts } = setUp();
  setGone(true);
  await expect(ask()).rejects.toThrow('gone');
  later(400);
  const release = hold();
  const both = Promise.allSettled([ask(), ask()]);
  expect(attempts()).toBe(2);
  release();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(attempts()).toBe(2);
});
