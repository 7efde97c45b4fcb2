import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { claimCallback } from '../../../src/server/store/callbacks.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { inTransaction } from '../../../src/server/store/db.ts';
import { postgresQueue } from '../../support/server/queue-nodes.ts';
import { callbackOf, endedJob, keepKey } from '../../support/server/stored-callbacks.ts';

const URLS = ['https://a.example/', 'https://b.example/'];

/** The address of the delivery that a node gets when all of them are due. */
async function claim(db: Db, owner: string): Promise<string | undefined> {
  const now = Number.MAX_SAFE_INTEGER - 1;
  const lease = await claimCallback(db, { owner, now, until: now + 1, busy: { hosts: [], users: [] } });
  return lease?.url;
}

describe('With PostgreSQL', () => {
  test('A delivery that one node is claiming is not had by another, which does not wait for it', async () => {
    const open = await postgresQueue();
    const [{ db: one }, { db: other }] = await Promise.all([open(), open()]);
    await keepKey(one);
    for (const url of URLS) await endedJob(one, callbackOf(url), Date.now());
    const taken = await inTransaction(one, async (claiming) => {
      const first = await claim(claiming, 'one');
      return await inTransaction(other, async (tx) => {
        await sql`set local lock_timeout = '1s'`.execute(tx); // it fails instead of waiting for ever
        return [first, await claim(tx, 'other'), await claim(tx, 'other')];
      });
    });
    expect(taken.toSorted()).toEqual([...URLS, undefined]);
  });
});
