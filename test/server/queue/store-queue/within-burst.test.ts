import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import type { Lease } from '../../../../src/server/queue/port.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import { forKysely, makePool, POOL_OPTIONS } from '../../../../src/server/store/postgres/pool.ts';
import { postgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { poll } from '../../../support/server/poll.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

const BURST = 2;

/** What a claim locks owners with, and how long it waits for them: the statement without it, as a bug could write it. */
const WITHOUT_LOCKS: ReadonlyMap<RegExp, string> = new Map([
  [/for update of callers/g, ''],
  [/for update skip locked/g, 'for update of waiting skip locked'],
  [/set_config\('lock_timeout', ([^,]+), true\)/g, '$1'],
]);

function withoutLocks(statement: string): string {
  return [...WITHOUT_LOCKS].reduce((text, [lock, rest]) => text.replaceAll(lock, rest), statement);
}

/** A node of a program that does not lock the owners whose jobs it takes. */
function carelessNode(url: string): { readonly db: Db; readonly queue: TestQueue } {
  const pool = forKysely(makePool(url, POOL_OPTIONS), POOL_OPTIONS);
  const connect: typeof pool.connect = async () => {
    const { query, release } = await pool.connect();
    const careless = async (text: string, values: readonly unknown[]) =>
      await query(withoutLocks(text), values);
    return { query: careless, release } as Awaited<ReturnType<typeof pool.connect>>;
  };
  const db = postgresDb({ ...pool, connect });
  onTestFinished(async () => await db.destroy());
  return { db, queue: new TestQueue(db, { self: nameThisNode(), leasesBy: 'database' }) };
}

/** Keeps the row of the owner locked until it is called. */
async function hold(client: Client, owner: string): Promise<() => Promise<void>> {
  await client.query('begin');
  await client.query('select from callers where owner = $1 for update', [owner]);
  return async () => void (await client.query('commit'));
}

async function untilWaiting(client: Client, count: number): Promise<void> {
  const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const look = async () => {
    await client.query('select pg_stat_clear_snapshot()'); // a transaction sees the same activity otherwise
    return (await client.query(sql)).rows.length;
  };
  await poll(look, (waiting) => waiting >= count);
}

describe('With PostgreSQL', () => {
  test('Nodes that do not lock an owner are refused by the database when they go over its burst, and its jobs continue', async () => {
    const url = await ownDatabase();
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => await client.end());
    const [{ db, queue }, other] = [carelessNode(url), carelessNode(url)];
    const png = new Uint8Array(1);
    await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png, created_at: 0 });
    for (let n = 0; n < 5; n++) await queue.submit(newJob(), { ...LIMITS, concurrency: BURST, burst: BURST });
    const letGo = await hold(client, 'ann');
    const claims = [queue, other.queue].map(
      async (node) => await Promise.allSettled([node.claim('w'), node.claim('w')]),
    );
    await untilWaiting(client, claims.length); // each has counted none in progress, and chosen two others
    await letGo();
    const outcomes = (await Promise.all(claims)).flat();
    const taken = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(taken.filter((lease) => lease !== undefined)).toHaveLength(BURST);
    expect(refused.map(({ constraint }) => constraint)).toEqual(Array(BURST).fill('callers_within_burst'));
    expect(await other.queue.claim('w')).toBeUndefined();
    let ended = 0;
    for (let held = taken as (Lease | undefined)[]; ; held = [await other.queue.claim('w')]) {
      for (const lease of held) if (lease && (await queue.complete(lease, generated()))) ended++;
      if (!held.some(Boolean)) break;
    }
    expect(ended).toBe(5);
  });
});
