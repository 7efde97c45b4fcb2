import { expect, onTestFinished, test } from 'vitest';
import { retentionOf } from '../../../../src/server/assembly/node.ts';
import { openStore } from '../../../../src/server/store/sqlite.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;
const BRIEF = [{ embedded: true }, { isBrief: true }];

async function openDb() {
  const store = await openStore(await ownFolder());
  onTestFinished(async () => await store.close());
  return store.db;
}

test.each(BRIEF)('A service with %j deletes nothing that serve would keep', async (brief) => {
  const db = await openDb();
  expect(await retentionOf(db, brief)).toBe(WEEK);
  expect(await retentionOf(db, { retentionHours: 8760 })).toBe(8760 * HOUR);
  expect(await retentionOf(db, brief)).toBe(8760 * HOUR);
});

test.each(BRIEF)('The retention of a service with %j does not affect serve', async (brief) => {
  const db = await openDb();
  expect(await retentionOf(db, { ...brief, retentionHours: 8760 })).toBe(8760 * HOUR);
  expect(await retentionOf(db, {})).toBe(WEEK);
  expect(await retentionOf(db, { retentionHours: 24 })).toBe(24 * HOUR);
  expect(await retentionOf(db, brief)).toBe(WEEK);
});
