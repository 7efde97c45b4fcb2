/** P13: PostgreSQL as store and queue: several nodes, and the price of exact limits. */

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { nameThisNode } from '../src/server/queue/leases.ts';
import type { Db } from '../src/server/store/db.ts';
import { openPostgresDb } from '../src/server/store/postgres/postgres-store.ts';
import { keepTexture } from '../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../test/contract/jobs.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { TestQueue } from '../test/support/server/test-queue.ts';
import { Machine, removeAtExit } from './machine.ts';
import { inTurns, type Row, ratio } from './table.ts';

const ROUNDS = 5;
/** Waiting jobs, their owners, and the maximum of an owner's jobs in progress. */
const WAITING = 60_000;
const OWNERS = 500;
const CAP = 2;
/** Jobs to claim in one measurement; fewer than may be in progress. */
const CLAIMS = 800;
const WORKERS = 8;
/** Milliseconds per skin when measuring that, and the number of skins. */
const MAKING = 300;
const MADE = 96;

interface Node {
  readonly db: Db;
  readonly queue: TestQueue;
}

export async function clusterRows(): Promise<Row[]> {
  return await Machine.with(async () => {
    const settings = { synchronous_commit: 'on', autovacuum: 'on', shared_buffers: '128MB' };
    const postgres = await startPostgres(settings, removeAtExit);
    const url = postgres.urlOf('postgres');
    const nodes = await Promise.all([1, 2, 3, 4].map(async () => nodeOn(await openPostgresDb(url))));
    try {
      const [one] = nodes as [Node];
      await keepPicture(one.db);
      return [await scaling(nodes), await limits(nodes)];
    } finally {
      await Promise.all(nodes.map(async ({ db }) => await db.destroy()));
      await postgres.stop();
    }
  });
}

function nodeOn(db: Db): Node {
  return { db, queue: new TestQueue(db, { self: nameThisNode() }) };
}

async function keepPicture(db: Db): Promise<void> {
  const size = { width: 64, height: 64, png: new Uint8Array(2_000) };
  await keepTexture(db, { hash: TEXTURE_HASH, ...size, created_at: 0 });
}

/** Runs all workers of these nodes until that many jobs are done. */
async function work(nodes: readonly Node[], jobs: number, making = 0): Promise<void> {
  let left = jobs;
  const worker = async ({ queue }: Node, name: string) => {
    while (left > 0) {
      left--;
      const lease = await queue.claim(name);
      if (!lease) {
        left++;
        await sleep(1);
        continue;
      }
      await sleep(making);
      await queue.complete(lease, generated());
    }
  };
  await Promise.all(
    nodes.flatMap((node, n) => Array.from({ length: WORKERS }, (_, w) => worker(node, `${n}#${w}`))),
  );
}

async function timed(measured: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await measured();
  return performance.now() - start;
}

async function scaling(nodes: readonly Node[]): Promise<Row> {
  const making = async (count: number) => {
    for (let n = 0; n < MADE; n++)
      await nodes[0]?.queue.submit(newJob({ owner: `maker ${n % 16}` }), { ...LIMITS, slots: MADE });
    return await timed(async () => await work(nodes.slice(0, count), MADE, MAKING));
  };
  const figures = await inTurns(ROUNDS, {
    measured: async () => await making(2),
    baseline: async () => await making(1),
  });
  const words = `${MADE} skins of ${MAKING} ms each by two nodes of ${WORKERS} workers`;
  return ratio('P13', [words, 'one node'], { ...figures, limit: 0.53 });
}

async function limits(nodes: readonly Node[]): Promise<Row> {
  const [{ db }] = nodes as [Node];
  await fill(db);
  const exactly = async ({ queue }: Node) => await queue.claim('w#1');
  const plainly = async (node: Node) => await CLAIM_PLAINLY.execute(node.db);
  const figures = await inTurns(ROUNDS, {
    measured: async () => await claimAll(nodes, exactly),
    baseline: async () => await claimAll(nodes, plainly),
  });
  const work = `${CLAIMS} of ${WAITING} jobs of ${OWNERS} owners, ${CAP} each at once, by 4 nodes`;
  return ratio('P13', [work, 'SKIP LOCKED without limits'], { ...figures, limit: 3 });
}

async function fill(db: Db): Promise<void> {
  await sql`insert into callers (owner, turn, spent_at, generated_at, minute, hour, burst)
    select 'owner ' || n, ${WAITING / OWNERS}, 0, 0, '[]', '[]', ${CAP} from generate_series(1, ${OWNERS}::int) n`.execute(
    db,
  );
  await sql`insert into jobs (uuid, owner, status, request_key, identity, texture_hash, variant, visibility, attempts, run_at,
      created_at, turn, concurrency, burst)
    select md5(n::text), 'owner ' || (1 + n % ${OWNERS}::int), 'waiting', n::text, 'identity ' || n, ${TEXTURE_HASH}, 'classic',
      'public', 0, 0, 0, n / ${OWNERS}::int, ${CAP}, ${CAP} from generate_series(1, ${WAITING}::int) n`.execute(
    db,
  );
  await sql`create table plain as select id, status, texture_hash, turn from jobs where status = 'waiting'`.execute(
    db,
  );
  await sql`create index plain_by_turn on plain (turn, id) where status = 'waiting'`.execute(db);
  await sql`create unique index plain_by_id on plain (id)`.execute(db);
  await sql`analyze`.execute(db);
}

/** The claim of a queue without limits and turns. */
const CLAIM_PLAINLY = sql`update plain set status = 'processing' where id =
  (select id from plain where status = 'waiting' order by turn, id limit 1 for update skip locked) returning id`;

/** Milliseconds until all workers of these nodes have claimed that many jobs together; then all jobs wait again. */
async function claimAll(nodes: readonly Node[], claim: (node: Node) => Promise<unknown>): Promise<number> {
  let left = CLAIMS;
  const worker = async (node: Node) => {
    while (left-- > 0) await claim(node);
  };
  const milliseconds = await timed(
    async () =>
      void (await Promise.all(nodes.flatMap((node) => Array.from({ length: WORKERS }, () => worker(node))))),
  );
  const [{ db }] = nodes as [Node];
  await sql`update jobs set status = 'waiting' where status = 'processing'`.execute(db);
  await sql`update plain set status = 'waiting' where status = 'processing'`.execute(db);
  return milliseconds;
}
