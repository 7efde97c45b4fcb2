import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openGame } from '../../../../src/game/game.ts';
import { blockImage } from '../../../../src/server/service/moderation.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { keepData, record } from '../../../support/server/skin-records.ts';
import { Statements } from '../../../support/server/statements.ts';

const MANY = 300;
const OPERATOR = { kind: 'user', owner: 'user:o', name: 'owner', id: 'o', isOperator: true } as never;

/** Public skins of one image, each of another owner. */
async function addMany(db: Db): Promise<string> {
  await keepData(db, 'one');
  for (let n = 0; n < MANY; n++) await record(db, { owner: `address:${n}`, identity: 'one' });
  const { texture_hash } = await db
    .selectFrom('texture_data')
    .select('texture_hash')
    .executeTakeFirstOrThrow();
  return texture_hash;
}

/** The most statements that ran while nobody else had a turn. */
async function mostInARow(work: Promise<unknown>, statements: Statements): Promise<number> {
  let isOver = false;
  let most = 0;
  void work.finally(() => (isOver = true));
  while (!isOver) {
    await setImmediate();
    most = Math.max(most, statements.take().length);
  }
  return most;
}

test('Other requests get turns while a picture of many skins is blocked', async () => {
  const { db } = await openOwnStore(await ownFolder());
  const hash = await addMany(db);
  const statements = new Statements();
  const work = blockImage({ db, clock: new MovableClock(), game: openGame() }, OPERATOR, { hash, note: '' });
  expect(await mostInARow(work, statements)).toBeLessThan(MANY);
  expect((await work).hidden).toBe(MANY);
  const data = await db.selectFrom('texture_data').select('identity').execute();
  expect(data).toHaveLength(MANY); // that of each owner, and none for everyone
  expect(data.map(({ identity }) => identity)).not.toContain('one');
});
