import { describe, expect, onTestFinished, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { beginUpstreamJob, listUpstreamJobs } from '../../../src/server/store/upstream-jobs.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';

const SLOTS = 5;

function begin(db: Db, n: number, identity = `identity ${n}`) {
  const intent = {
    identity,
    idempotency_key: `key ${n}`,
    mark: 0,
    submitted_at: 1,
    sender: `w#${n}`,
    sending_until: 9,
  };
  return beginUpstreamJob(db, intent, { seen: undefined, slots: SLOTS, since: 0 });
}

describe('With PostgreSQL', () => {
  async function nodes(count: number): Promise<Db[]> {
    const url = await ownDatabase();
    return await Promise.all(
      Array.from({ length: count }, async () => {
        const db = await openPostgresDb(url);
        onTestFinished(async () => await db.destroy());
        return db;
      }),
    );
  }

  test('Three nodes that begin 24 submissions at the same instant begin as many as there are slots', async () => {
    const all = await nodes(3);
    const begun = await Promise.all(Array.from({ length: 24 }, (_, n) => begin(all[n % 3]!, n)));
    expect(begun.filter((outcome) => outcome === 'begun')).toHaveLength(SLOTS);
    expect(begun.filter((outcome) => outcome === 'full')).toHaveLength(24 - SLOTS);
    expect(await listUpstreamJobs(all[0]!)).toHaveLength(SLOTS);
  });

  test('If three nodes begin the same submission at once, one sends it', async () => {
    const all = await nodes(3);
    const begun = await Promise.all(all.map((db, n) => begin(db, n, 'same')));
    expect(begun.toSorted()).toEqual(['begun', 'changed', 'changed']);
  });
});
