import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { choresHere, startMaintenance } from '../../../../src/server/assembly/node.ts';
import { JobSignals } from '../../../../src/server/events.ts';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { callbackOf, endedJob, keepKey } from '../../../support/server/stored-callbacks.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

/** Above the highest process id that Linux and macOS give. */
const NO_SUCH_PROCESS = 2 ** 22 + 1;

async function startOnSqlite() {
  const store = await openOwnStore(await ownFolder());
  await keepTexture(store.db, {
    hash: TEXTURE_HASH,
    width: 64,
    height: 64,
    png: new Uint8Array(1),
    created_at: 0,
  });
  const clock = new MovableClock();
  const signals = new JobSignals();
  const queue = new TestQueue(store.db, { self: nameThisNode(), clock });
  const onError = (error: unknown) => {
    throw error;
  };
  const parts = { store, queue, signals, clock };
  const maintenance = startMaintenance({ ...parts, retention: 1, chores: choresHere, onError });
  onTestFinished(() => maintenance.stop());
  return { ...parts, maintenance };
}

test('Recovered jobs are announced to workers and to everyone who waits for a job', async () => {
  const { queue, signals, maintenance } = await startOnSqlite();
  const heard: string[] = [];
  let works = 0;
  signals.onWork(() => void works++);
  const told = (what: string) => () => void heard.push(what);
  signals.listen({
    accepted: told('accepted'),
    finished: told('finished'),
    storeChanged: told('storeChanged'),
  });
  await maintenance.recoverNow();
  expect([heard, works]).toEqual([[], 0]);
  await queue.submit(newJob(), LIMITS);
  await queue.claim(`${hostname()}/${NO_SUCH_PROCESS}/gone#0`);
  await maintenance.recoverNow();
  expect([heard, works]).toEqual([['storeChanged'], 1]);
});

test('Webhooks that were due before the clock was set back are due now', async () => {
  const { store, clock, maintenance } = await startOnSqlite();
  await keepKey(store.db);
  await endedJob(store.db, callbackOf('https://a.example/'), clock.now() + 24 * 3_600_000);
  await maintenance.recoverNow();
  expect(await store.db.selectFrom('callbacks').select('run_at').execute()).toEqual([
    { run_at: clock.now() },
  ]);
});
