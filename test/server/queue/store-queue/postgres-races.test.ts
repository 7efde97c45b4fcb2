import { describe, expect, onTestFinished, test } from 'vitest';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { type Lease, QUEUE_TIMES } from '../../../../src/server/queue/port.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

/** A claim waits for its turn however busy the machine is: what it does when it loses its patience is another matter. */
const TIMES = { ...QUEUE_TIMES, turnPatience: 60_000 };

/** Nodes with the same store, each with its own connections; their leases end by the database's clock. */
async function nodes(count: number): Promise<TestQueue[]> {
  const url = await ownDatabase();
  const queues: TestQueue[] = [];
  for (let n = 0; n < count; n++) {
    const db = await openPostgresDb(url);
    onTestFinished(async () => await db.destroy());
    const png = new Uint8Array(1);
    if (n === 0) await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png, created_at: 0 });
    queues.push(new TestQueue(db, { self: nameThisNode(), leasesBy: 'database', times: TIMES }));
  }
  return queues;
}

/** All of them at the same time, spread over the nodes. */
async function atOnce<T>(
  queues: readonly TestQueue[],
  count: number,
  work: (queue: TestQueue) => Promise<T>,
) {
  return await Promise.all(Array.from({ length: count }, (_, n) => work(queues[n % queues.length]!)));
}

describe('With PostgreSQL', () => {
  test('Five jobs are accepted when an owner submits 24 at the same instant to three nodes', async () => {
    const queues = await nodes(3);
    const answers = await atOnce(queues, 24, async (queue) => (await queue.submit(newJob(), LIMITS)).kind);
    expect(answers.filter((kind) => kind === 'queued')).toHaveLength(5);
    expect(answers.filter((kind) => kind === 'full')).toHaveLength(19);
  });

  test('The same request to three nodes at the same instant is one job', async () => {
    const queues = await nodes(3);
    const submit = async (queue: TestQueue) =>
      await queue.submit(newJob({ request: 'same', idempotencyKey: 'key' }), LIMITS);
    const answers = await atOnce(queues, 12, submit);
    expect(new Set(answers.map((answer) => ('job' in answer ? answer.job.id : answer.kind))).size).toBe(1);
  });

  test('Three nodes that claim at the same instant keep to the concurrency of an owner', async () => {
    const queues = await nodes(3);
    const limits = { ...LIMITS, concurrency: 2, burst: 2 };
    for (const owner of ['ann', 'bob']) {
      for (let n = 0; n < 5; n++) await queues[0]!.submit(newJob({ owner }), limits);
    }
    const held: Lease[] = [];
    for (let round = 0; round < 4; round++) {
      const leases = await atOnce(queues, 9, async (queue) => await queue.claim('w'));
      held.push(...leases.filter((lease) => lease !== undefined));
    }
    expect(held.map(({ job }) => job.owner).toSorted()).toEqual(['ann', 'ann', 'bob', 'bob']);
    const ends = await Promise.all(
      held.map(async (lease, n) => await queues[n % 3]!.complete(lease, generated())),
    );
    expect(ends).toEqual([true, true, true, true]);
  });

  test('Three nodes serve owners in proportion to their priorities, even while owners are locked', async () => {
    const queues = await nodes(3);
    const shares = { ann: 60, bob: 30, cid: 15 };
    const jobs = 105;
    for (const [owner, priority] of Object.entries({ ann: 4, bob: 2, cid: 1 })) {
      const limits = { ...LIMITS, slots: jobs, priority };
      for (let n = 0; n < jobs; n++) await queues[n % 3]!.submit(newJob({ owner }), limits);
    }
    const served = { ann: 0, bob: 0, cid: 0 };
    let left = jobs;
    await atOnce(queues, 12, async (queue) => {
      while (left > 0) {
        left--;
        const lease = await queue.claim('w');
        if (!lease)
          left++; // another node is just deciding about all of them
        else {
          served[lease.job.owner as keyof typeof served]++;
          await queue.complete(lease, generated());
        }
      }
    });
    const distances = Object.entries(shares).map(([owner, share]) =>
      Math.abs(served[owner as keyof typeof served] - share),
    );
    expect(Math.max(...distances), JSON.stringify(served)).toBeLessThanOrEqual(0.05 * jobs);
  });
});
