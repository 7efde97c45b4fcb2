import { execa } from 'execa';
import { expect, test } from 'vitest';
import { childProgram } from '../support/program/child-program.ts';
import { MovableClock } from '../support/server/movable-clock.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { openOwnStore } from '../support/server/running-server.ts';
import { callbackOf, endedJob, keepKey } from '../support/server/stored-callbacks.ts';

const CLAIM_CALLBACKS = childProgram('claim-callbacks');
const CALLBACKS = 150;

test('Two processes that claim callbacks at the same time each get different ones', async () => {
  const folder = await ownFolder();
  const { db } = await openOwnStore(folder);
  await keepKey(db);
  const urls = Array.from({ length: CALLBACKS }, (_, n) => `http://example.org/${n}`);
  for (const url of urls) await endedJob(db, callbackOf(url), new MovableClock().now());
  const runs = await Promise.all([1, 2].map(() => execa(process.execPath, [CLAIM_CALLBACKS, folder])));
  const claimed = runs.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
  expect(claimed.toSorted()).toEqual(urls.toSorted());
});
