import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import type { Lease } from '../../../../src/server/queue/port.ts';
import { type Db, inTransaction } from '../../../../src/server/store/db.ts';
import { POOL_OPTIONS } from '../../../../src/server/store/postgres/pool.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { mustClaim } from '../../../contract/queue-steps.ts';
import { otherSession } from '../../../support/postgres/other-session.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { sentStatements } from '../../../support/postgres/sent-statements.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

/** Milliseconds: far longer than any statement here takes, unless it waits for a lock. */
const PATIENCE = 5_000;

interface Node {
  readonly db: Db;
  readonly queue: TestQueue;
}

async function open(url: string): Promise<Node> {
  const db = await openPostgresDb(url, { ...POOL_OPTIONS, statementTimeout: PATIENCE });
  onTestFinished(async () => await db.destroy());
  await keepTexture(db, {
    ...{ hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 },
  });
  return { db, queue: new TestQueue(db, { self: nameThisNode(), leasesBy: 'database' }) };
}

async function submit(queue: TestQueue, owner: string, count: number, limits: object): Promise<void> {
  for (let n = 0; n < count; n++) {
    await queue.submit(newJob({ owner, request: `${owner}${n}` }), { ...LIMITS, slots: count, ...limits });
  }
}

async function claimTogether(queue: TestQueue, workers: number): Promise<(string | undefined)[]> {
  const names = Array.from({ length: workers }, (_, n) => `w${n}`);
  const leases = await Promise.all(names.map(async (name) => await queue.claim(name)));
  leases.forEach((lease, n) => {
    if (lease) expect([lease.owner, lease.job.lease_owner]).toEqual([`w${n}`, `w${n}`]);
  });
  return leases.map((lease) => lease?.job.request_key);
}

function claimsIn<Statement extends { readonly text: string }>(sent: readonly Statement[]): Statement[] {
  return sent.filter(({ text }) => /update jobs set status = 'processing'/.test(text));
}

describe('With PostgreSQL', () => {
  test('Workers of a process that want jobs at the same moment get them with one statement, by their turns', async () => {
    const { db, queue } = await open(await ownDatabase());
    await submit(queue, 'ann', 2, { concurrency: 2 });
    await submit(queue, 'bob', 2, { concurrency: 2 });
    expect(await claimTogether(queue, 6)).toEqual(['ann0', 'bob0', 'ann1', 'bob1', undefined, undefined]);
    const { rows } = await sql`select distinct xmin::text from jobs`.execute(db);
    expect(rows).toHaveLength(1); // one transaction
  });

  test('More workers than one statement serves are all answered', async () => {
    const { queue } = await open(await ownDatabase());
    const sent = sentStatements();
    expect(await claimTogether(queue, 33)).toEqual(Array(33).fill(undefined));
    const served = claimsIn(sent).map(({ values }) => values.find(Array.isArray)?.length);
    expect(served).toEqual([32, 1]);
  });

  test('A claim waits for the owner whose turn it is before it takes the job of another', async () => {
    const url = await ownDatabase();
    const { queue } = await open(url);
    await submit(queue, 'ann', 1, {});
    await submit(queue, 'bob', 1, {});
    const other = await otherSession(url);
    await other.run("select from callers where owner = 'ann' for update");
    const sent = sentStatements();
    expect(await claimTogether(queue, 1)).toEqual(['bob0']);
    expect(claimsIn(sent)).toHaveLength(2);
  });

  test("A claim waits until the ends of this process's jobs are stored, because they lock their owners", async () => {
    const url = await ownDatabase();
    const { db, queue } = await open(url);
    const ask = async () => await sql`select 1`.execute(db);
    await submit(queue, 'ann', 2, {});
    const lease = await mustClaim(queue, 'w');
    const other = await otherSession(url);
    await other.run("select from callers where owner = 'ann' for update");
    await Promise.all([ask(), ask(), ask()]); // opens connections: a claim that did not wait would be sent at once
    const sent = sentStatements();
    const end = queue.complete(lease, generated());
    const claim = queue.claim('w');
    expect(await other.holdsUp(end)).toBe(true);
    await ask();
    expect(claimsIn(sent)).toEqual([]);
    await other.run('commit');
    expect([await end, (await claim)?.job.request_key]).toEqual([true, 'ann1']);
    expect(claimsIn(sent)).toHaveLength(1);
  });

  test('Workers together keep to the concurrency of each owner, and share idle capacity', async () => {
    const { db, queue } = await open(await ownDatabase());
    await submit(queue, 'ann', 6, { concurrency: 1, burst: 3 });
    await submit(queue, 'bob', 6, { concurrency: 2, burst: 2 });
    const first = await claimTogether(queue, 8);
    expect(first.slice(0, 5)).toEqual(['ann0', 'bob0', 'bob1', 'ann1', 'ann2']);
    expect(first.slice(5)).toEqual([undefined, undefined, undefined]);
    const callers = await sql`select owner, processing from callers order by owner`.execute(db);
    expect(callers.rows).toEqual([
      { owner: 'ann', processing: 3 },
      { owner: 'bob', processing: 2 },
    ]);
  });

  test('A node does not wait for owners that another node has locked, and takes jobs of other owners', async () => {
    const url = await ownDatabase();
    const { db, queue } = await open(url);
    const other = await open(url);
    await submit(queue, 'ann', 2, {});
    await submit(queue, 'bob', 2, {});
    await other.db.transaction().execute(async (tx) => {
      await sql`select from callers where owner = 'ann' for update`.execute(tx);
      expect(await claimTogether(queue, 1)).toEqual(['bob0']);
      await sql`select from queue_clock for update`.execute(tx);
      expect(await claimTogether(queue, 1)).toEqual(['bob1']);
    });
    expect(await claimTogether(queue, 1)).toEqual(['ann0']);
    expect(await db.selectFrom('queue_clock').select('turn').executeTakeFirst()).toBeDefined();
  });

  test('Four nodes with eight workers each do every job once, within the limits of their owners at every instant', async () => {
    const url = await ownDatabase();
    const nodes = await Promise.all([1, 2, 3, 4].map(async () => await open(url)));
    const [{ queue: first, db }] = nodes as [Node];
    for (let owner = 0; owner < 8; owner++)
      await submit(first, `owner${owner}`, 10, { concurrency: 2, burst: 3 });
    const done: string[] = [];
    const work = async ({ queue }: Node, name: string) => {
      for (let idle = 0; idle < 3; ) {
        const lease: Lease | undefined = await queue.claim(name);
        if (lease && (await queue.complete(lease, generated()))) done.push(lease.job.uuid);
        idle = lease ? 0 : idle + 1;
      }
    };
    await Promise.all(
      nodes.flatMap((node, n) => Array.from({ length: 8 }, (_, w) => work(node, `${n}#${w}`))),
    );
    for (let rest = await first.claim('rest'); rest; rest = await first.claim('rest')) {
      await first.complete(rest, generated());
      done.push(rest.job.uuid);
    }
    expect(new Set(done).size).toBe(80);
    expect(done).toHaveLength(80);
    const { rows } = await sql`select sum(processing)::int as processing from callers`.execute(db);
    expect(rows).toEqual([{ processing: 0 }]);
  });
});

test('With SQLite, a worker that finds nothing twice does not wait for what another process writes', async () => {
  const folder = await ownFolder();
  const [{ db }, { db: other }] = [await openOwnStore(folder), await openOwnStore(folder)];
  const queue = new TestQueue(db, { self: nameThisNode(), leasesBy: 'process' });
  expect(await queue.claim('w')).toBeUndefined();
  await inTransaction(other, async (tx) => {
    await tx.insertInto('meta').values({ key: 'other', value: 'writes' }).execute();
    expect(await queue.claim('w')).toBeUndefined();
  });
  await keepTexture(db, {
    ...{ hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 },
  });
  await submit(queue, 'ann', 1, {});
  expect((await queue.claim('w'))?.job.request_key).toBe('ann0');
});
