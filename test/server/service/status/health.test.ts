import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { Health } from '../../../../src/server/service/status/health.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

async function health(changes: { isStopping?: boolean; isFull?: boolean; trouble?: unknown } = {}) {
  const { db } = await openOwnStore(await ownFolder());
  const clock = new MovableClock();
  const { isStopping = false, isFull = false, trouble } = changes;
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  return {
    db,
    clock,
    it: new Health({
      db,
      clock,
      isStopping: () => isStopping,
      isReplaced: () => false,
      isFull: () => isFull,
      isKeyChanged: async () => false,
      trouble: () => trouble,
      isReady: async () => true,
      onError,
    }),
    errors,
  };
}

test('A service is ready when it goes on, can write and its workers are well', async () => {
  expect(await (await health()).it.unreadiness()).toEqual([]);
});

test('It is not while it stops, or while its workers are in trouble: both are told', async () => {
  const { it } = await health({ isStopping: true, trouble: new Error('full') });
  expect(await it.unreadiness()).toEqual(['stopping', 'workers_in_trouble']);
});

test('It is not while its store cannot be written, which is tried once a second at most', async () => {
  const { it, db, clock, errors } = await health();
  expect(await it.unreadiness()).toEqual([]);
  await sql`pragma query_only = on`.execute(db);
  expect(await it.unreadiness()).toEqual([]);
  clock.forward(1_000);
  expect(await it.unreadiness()).toEqual(['store_not_writable']);
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('readonly') })]);
  await sql`pragma query_only = off`.execute(db);
  clock.forward(1_000);
  expect(await it.unreadiness()).toEqual([]);
});

test('It is not while its store is full', async () => {
  const { it } = await health({ isFull: true });
  expect(await it.unreadiness()).toEqual(['store_full']);
});
