import { describe, expect, test } from 'vitest';
import { recordKnown } from '../../../../src/server/queue/enqueue.ts';
import type { NewJob } from '../../../../src/server/queue/port.ts';
import { type Db, inTransaction } from '../../../../src/server/store/db.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { otherSession } from '../../../support/postgres/other-session.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { postgresQueue } from '../../../support/server/queue-nodes.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { callbackOf, keepKey } from '../../../support/server/stored-callbacks.ts';

const SKIN = { skinUuid: 'f00d', now: 1 };

async function openQueue(): Promise<{ db: Db; record: (job: NewJob) => ReturnType<typeof recordKnown> }> {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  return { db, record: async (job) => await recordKnown(db, job, SKIN) };
}

test('A repeated request for known data under one key adds no second callback', async () => {
  const { db, record } = await openQueue();
  await keepKey(db);
  const ask = (url: string) =>
    record(newJob({ request: 'same', idempotencyKey: 'key', callback: callbackOf(url) }));
  const [first, again] = [await ask('https://a.example/one'), await ask('https://a.example/two')];
  expect([first.kind, again.kind]).toEqual(['recorded', 'repeated']);
  const callbacks = await db.selectFrom('callbacks').select('url').execute();
  expect(callbacks).toEqual([{ url: 'https://a.example/one' }]);
});

test('The second of two requests with one key at the same moment gets the job of the first', async () => {
  const { db, record } = await openQueue();
  const ask = async () => await record(newJob({ request: 'same', idempotencyKey: 'key' }));
  const [first, second] = await Promise.all([ask(), ask()]);
  expect([first.kind, second.kind]).toEqual(['recorded', 'repeated']);
  expect(await db.selectFrom('jobs').select('id').execute()).toHaveLength(1);
});

describe('With PostgreSQL', () => {
  test('A request that another node is recording under the same key gets the job of that node', async () => {
    const url = await ownDatabase();
    const openNode = await postgresQueue(url);
    const [{ db: here }, { db: there }] = [await openNode(), await openNode()];
    const observer = await otherSession(url);
    const asked = { request: 'same', idempotencyKey: 'key' };
    const first = newJob(asked);
    const record = async () => await recordKnown(here, newJob(asked), SKIN);
    const { second } = await inTransaction(there, async (tx) => {
      await recordKnown(tx, first, SKIN);
      const waiting = record();
      expect(await observer.holdsUp(waiting)).toBe(true);
      return { second: waiting };
    });
    expect(await second).toMatchObject({ kind: 'repeated', job: { uuid: first.uuid } });
  });
});
