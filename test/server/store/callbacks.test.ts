import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  claimCallback,
  endCallback,
  postponeCallback,
  returnCallback,
} from '../../../src/server/store/callbacks.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { inTransaction } from '../../../src/server/store/db.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { postgresQueue } from '../../support/server/queue-nodes.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { callbackOf, endedJob, keepKey } from '../../support/server/stored-callbacks.ts';

const URLS = ['https://a.example/', 'https://b.example/'];

/** The delivery that a node gets when all of them are due; if it does not end, it is due again after so long. */
async function claimLease(db: Db, owner: string, lease: number) {
  const now = Number.MAX_SAFE_INTEGER - 1;
  return await claimCallback(db, { owner, now, until: now + lease, busy: { hosts: [], users: [] } });
}

test.each([
  ['end', endCallback],
  ['postpone', postponeCallback],
  ['return', returnCallback],
])(
  'A node that was too slow cannot %s a delivery that another node or itself has begun again',
  async (_, change) => {
    const { db } = await openOwnStore(await ownFolder());
    await keepKey(db);
    await endedJob(db, callbackOf(URLS[0]!), Date.now());
    const row = async () => await db.selectFrom('callbacks').selectAll().executeTakeFirstOrThrow();
    for (const [late, current] of [
      ['one', 'other'],
      ['one', 'one'],
    ] as const) {
      const lost = await claimLease(db, late, 0);
      await claimLease(db, current, 0);
      const before = await row();
      await change(db, lost!, 7);
      expect(await row()).toEqual(before);
    }
  },
);

describe('With PostgreSQL', () => {
  const claim = async (db: Db, owner: string) => (await claimLease(db, owner, 1))?.url;

  test('A delivery that one node is claiming is skipped by another, without waiting', async () => {
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
