import { describe, expect, test } from 'vitest';
import { JOB_STATUSES, type JobStatus } from '../../../src/protocol/job.ts';
import { assertLegal, changeState, updateState } from '../../../src/server/queue/states.ts';
import type { NewCallback } from '../../../src/server/store/callbacks.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { otherSession } from '../../support/postgres/other-session.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { postgresQueue } from '../../support/server/queue-nodes.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { callbackOf, keepKey } from '../../support/server/stored-callbacks.ts';
import { TestQueue } from '../../support/server/test-queue.ts';

const LEGAL: readonly `${JobStatus} → ${JobStatus}`[] = [
  'waiting → processing',
  'waiting → failed',
  'processing → completed',
  'processing → failed',
  'processing → waiting',
];

const STEPS = JOB_STATUSES.flatMap((from) =>
  JOB_STATUSES.map((to) => ({ from, to, legal: LEGAL.includes(`${from} → ${to}`) })),
);

test.each(STEPS)('A job going from $from to $to is legal: $legal', ({ from, to, legal }) => {
  if (legal) expect(() => assertLegal(from, to)).not.toThrow();
  else expect(() => assertLegal(from, to)).toThrow(`A job cannot go from ${from} to ${to}.`);
});

async function storedJob(callback?: NewCallback) {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const queue = new TestQueue(db, { self: { host: 'here', pid: 1, nonce: 'x' } });
  if (callback) await keepKey(db);
  const job = newJob({ callback });
  await queue.submit(job, LIMITS);
  return { db, queue, uuid: job.uuid };
}

test('An illegal step is refused before the store is read', async () => {
  const { db, queue, uuid } = await storedJob();
  await expect(changeState(db, { uuid, from: 'waiting', to: 'completed' }, {})).rejects.toThrow('cannot go');
  expect(await queue.find(uuid)).toMatchObject({ status: 'waiting' });
});

test('A statement for an illegal step is not begun', async () => {
  const { db } = await storedJob();
  expect(() => updateState(db, 'completed', 'waiting')).toThrow('A job cannot go from completed to waiting.');
});

test('A step from a state that the job has left changes nothing and says so', async () => {
  const { db, queue, uuid } = await storedJob();
  await queue.claim('w');
  expect(await changeState(db, { uuid, from: 'waiting', to: 'processing' }, { attempts: 9 })).toBe(false);
  expect(await queue.find(uuid)).toMatchObject({ status: 'processing', attempts: 1, lease_owner: 'w' });
});

test('A job that leaves processing always loses its lease', async () => {
  const { db, queue, uuid } = await storedJob();
  await queue.claim('w');
  expect(await changeState(db, { uuid, from: 'processing', to: 'waiting', leaseOwner: 'w' }, {})).toBe(true);
  expect(await queue.find(uuid)).toMatchObject({ status: 'waiting', lease_owner: null, lease_until: null });
});

test('A lease that was renewed since the last look is not taken away', async () => {
  const { db, queue, uuid } = await storedJob();
  const lease = await queue.claim('w');
  const leaseUntil = lease?.job.lease_until ?? 0;
  const free = { uuid, from: 'processing', to: 'waiting', leaseOwner: 'w' } as const;
  expect(await changeState(db, { ...free, leaseUntil: leaseUntil - 1 }, {})).toBe(false);
  expect(await changeState(db, { ...free, leaseUntil }, {})).toBe(true);
});

test('Only the end of a job makes its callbacks due', async () => {
  const { db, queue, uuid } = await storedJob(callbackOf('https://a.example/'));
  const due = async () => (await db.selectFrom('callbacks').select('run_at').executeTakeFirst())?.run_at;
  await queue.claim('w');
  const end = { uuid, from: 'processing', to: 'failed' } as const;
  expect(await changeState(db, { ...end, leaseOwner: 'another' }, { finished_at: 7 })).toBe(false);
  expect(await changeState(db, { ...end, to: 'waiting' }, {})).toBe(true);
  expect(await due()).toBeNull();
  await queue.claim('w');
  expect(await changeState(db, { ...end, leaseOwner: 'w' }, { finished_at: 7 })).toBe(true);
  expect(await due()).toBe(7);
});

describe('With PostgreSQL', () => {
  test.each(['waiting', 'failed'] as const)(
    'A step to %s locks the owner before the job, as all steps do, so that there is no deadlock',
    async (to) => {
      const url = await ownDatabase();
      const { db, queue } = await (await postgresQueue(url))();
      const { uuid } = newJob();
      await queue.submit(newJob({ uuid }), LIMITS);
      await queue.claim('w');
      const other = await otherSession(url);
      await other.run("select from callers where owner = 'ann' for update");
      const step = changeState(db, { uuid, from: 'processing', to }, {});
      expect(await other.holdsUp(step)).toBe(true);
      expect((await other.run('select id from jobs for update skip locked')).rows).toHaveLength(1);
      await other.run('commit');
      expect(await step).toBe(true);
    },
  );
});
