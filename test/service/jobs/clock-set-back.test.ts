import { expect, test } from 'vitest';
import { resetFutureRunTimes } from '../../../src/server/store/callbacks.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const DAY = 24 * 3_600_000;

test('Jobs that wait while the clock is set back a day still run', async () => {
  const clock = new MovableClock();
  const server = await runServer({ workers: 0, clock });
  const { body } = await server.owner.upload('/v2/queue', skinPng(1));
  clock.forward(-DAY);
  await runServer({ dataDir: server.dataDir, workers: 1, clock });
  await jobAt(server.owner, body.job?.id, 'completed');
});

test('Jobs accepted long ago and postponed for a moment also run after the clock is set back', async () => {
  const clock = new MovableClock();
  const server = await runServer({ workers: 0, clock });
  const { body } = await server.owner.upload('/v2/queue', skinPng(1));
  const { db } = await openOwnStore(server.dataDir);
  const now = clock.now();
  await db
    .updateTable('jobs')
    .set({ created_at: now - 3 * DAY, run_at: now + 5_000 })
    .execute();
  clock.forward(-DAY);
  await runServer({ dataDir: server.dataDir, workers: 1, clock });
  await jobAt(server.owner, body.job?.id, 'completed');
});

test('Webhooks that are due by the old clock are due now, and postponed ones still wait', async () => {
  const server = await runServer({ workers: 0, allowedNetworks: ['127.0.0.0/8'] });
  const callback = 'http://127.0.0.1:1/';
  for (const n of [1, 2]) await server.owner.upload('/v2/queue', skinPng(n), { callback });
  const { db } = await openOwnStore(server.dataDir);
  const now = Date.now();
  const [first, second] = await db.selectFrom('callbacks').select('id').orderBy('id').execute();
  const change = db.updateTable('callbacks');
  await change
    .set({ run_at: now + DAY, created_at: now + DAY })
    .where('id', '=', first!.id)
    .execute();
  await change
    .set({ run_at: now + 60_000, created_at: now - 1 })
    .where('id', '=', second!.id)
    .execute();
  await resetFutureRunTimes(db, now);
  const due = await db.selectFrom('callbacks').select('run_at').orderBy('id').execute();
  expect(due.map(({ run_at }) => run_at)).toEqual([now, now + 60_000]);
});
