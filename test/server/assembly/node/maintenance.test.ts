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
import { TestQueue } from '../../../support/server/test-queue.ts';

/** Above the highest process id that Linux and macOS give. */
const NO_SUCH_PROCESS = 2 ** 22 + 1;

test('Recovered jobs are announced to workers and to those who wait for a job', async () => {
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
  const maintenance = startMaintenance({
    store,
    queue,
    signals,
    clock,
    retention: 1,
    chores: choresHere,
    onError,
  });
  onTestFinished(() => maintenance.stop());
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
