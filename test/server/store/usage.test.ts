import { expect, test } from 'vitest';
import { readUsage, spendOne } from '../../../src/server/store/usage.ts';
import { ownFolder } from '../own-folder.ts';
import { openOwnStore } from '../running-server.ts';

/** The first moment of an hour, and so of a minute. */
const HOUR_START = Date.UTC(2026, 0, 1, 12);

async function spentAt(times: readonly number[], asked: number): Promise<{ minute: number; hour: number }> {
  const { db } = await openOwnStore(await ownFolder());
  for (const time of times) await spendOne(db, await readUsage(db, 'ann', time));
  const { minute_used, hour_used } = await readUsage(db, 'ann', asked);
  return { minute: minute_used, hour: hour_used };
}

test.each([
  ['nothing spent', [], 0, { minute: 0, hour: 0 }],
  ['within one minute', [0, 1, 59_999], 59_999, { minute: 3, hour: 3 }],
  ['the last ms of a minute and the first of the next', [59_999, 60_000], 60_000, { minute: 1, hour: 2 }],
  ['the minute over', [0, 1], 60_000, { minute: 0, hour: 2 }],
  ['the hour over', [0, 3_599_999], 3_600_000, { minute: 0, hour: 0 }],
  ['one in each of two hours', [3_599_999, 3_600_000], 3_600_001, { minute: 1, hour: 1 }],
])('What a caller has spent: %s', async (_, times, asked, expected) => {
  const at = (offset: number) => HOUR_START + offset;
  expect(await spentAt(times.map(at), at(asked))).toEqual(expected);
});

test('Each caller has windows of its own', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await spendOne(db, await readUsage(db, 'ann', HOUR_START));
  expect((await readUsage(db, 'bob', HOUR_START)).minute_used).toBe(0);
});
