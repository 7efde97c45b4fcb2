import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  holdersByHeartbeat,
  holdersHere,
  nameThisNode,
  nodeName,
  nodeOf,
  workerName,
} from '../../../src/server/queue/leases.ts';
import type { Db } from '../../../src/server/store/db.ts';
import {
  listNodes,
  NODE_TIMEOUT,
  pruneNodes,
  sendHeartbeat,
  signOff,
} from '../../../src/server/store/nodes.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { TestQueue } from '../../support/server/test-queue.ts';

test('A worker is named after its process', () => {
  const self = nameThisNode();
  expect(nodeOf(workerName(self, 3))).toBe(nodeName(self));
  expect(nodeOf('w')).toBe('w');
});

test('Processes that no longer exist count as gone on this machine, but not on other machines', async () => {
  const self = nameThisNode();
  const dead = workerName({ ...self, pid: 2 ** 22 + 1 }, 0);
  const former = workerName({ ...self, nonce: 'before' }, 0);
  const others = [workerName(self, 0), workerName({ host: 'far', pid: 1, nonce: 'x' }, 0), 'w'];
  const { db } = await openOwnStore(await ownFolder());
  expect(await holdersHere(self).gone(db, [dead, former, ...others])).toEqual(new Set([dead, former]));
});

describe('With PostgreSQL', () => {
  async function ownDb(): Promise<Db> {
    const db = await openPostgresDb(await ownDatabase());
    onTestFinished(async () => await db.destroy());
    return db;
  }

  const version = '1.0.0';
  /** Lets time pass for a node that is not heard of meanwhile. */
  const silence = async (db: Db, id: string, ms: number) =>
    await sql`update nodes set seen_at = seen_at - ${ms}::bigint where id = ${id}`.execute(db);

  test('Nodes count as alive while they send heartbeats, on any machine and with any process id', async () => {
    const db = await ownDb();
    await sendHeartbeat(db, { id: 'a/1/x', version });
    await sendHeartbeat(db, { id: 'b/1/y', version });
    const all = ['a/1/x#0', 'a/1/x#7', 'b/1/y#0', 'c/1/z#0'];
    expect(await holdersByHeartbeat.gone(db, all)).toEqual(new Set(['c/1/z#0']));
    await silence(db, 'a/1/x', NODE_TIMEOUT + 1_000);
    await signOff(db, 'b/1/y');
    expect(await holdersByHeartbeat.gone(db, all)).toEqual(new Set(all));
    await sendHeartbeat(db, { id: 'a/1/x', version });
    expect((await holdersByHeartbeat.gone(db, all)).has('a/1/x#0')).toBe(false);
    expect(await holdersByHeartbeat.gone(db, ['c/1/z#0'])).toEqual(new Set(['c/1/z#0']));
    expect(await holdersByHeartbeat.gone(db, [])).toEqual(new Set());
  });

  test("A heartbeat returns the time of the database, and keeps the node's start time", async () => {
    const db = await ownDb();
    await sendHeartbeat(db, { id: 'a/1/x', version });
    const [begun] = await listNodes(db, NODE_TIMEOUT);
    const second = await sendHeartbeat(db, { id: 'a/1/x', version: '1.1.0' });
    expect(await listNodes(db, NODE_TIMEOUT)).toEqual([
      { id: 'a/1/x', version: '1.1.0', started_at: begun?.started_at, seen_at: second },
    ]);
    await silence(db, 'a/1/x', 100_000);
    await pruneNodes(db, 200_000);
    expect(await db.selectFrom('nodes').selectAll().execute()).toHaveLength(1);
    await pruneNodes(db, 50_000);
    expect(await db.selectFrom('nodes').selectAll().execute()).toEqual([]);
  });

  test('Jobs of a node that is gone are freed before their leases end, but no jobs of other nodes', async () => {
    const db = await ownDb();
    await keepTexture(db, {
      ...{ hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 },
    });
    const self = nameThisNode();
    const queue = new TestQueue(db, { self, leasesBy: 'database', holders: holdersByHeartbeat });
    const [living, dead] = [
      { host: 'a', pid: 1, nonce: 'x' },
      { ...self, nonce: 'y' },
    ];
    for (const node of [living, dead]) {
      await sendHeartbeat(db, { id: nodeName(node), version });
      await queue.submit(newJob({ owner: node.nonce }), LIMITS);
      await queue.claim(workerName(node, 0));
    }
    expect(await queue.recover()).toBe(0);
    await silence(db, nodeName(dead), NODE_TIMEOUT + 1_000);
    expect(await queue.recover()).toBe(1);
    expect((await queue.pending()).running.map(({ owner }) => owner)).toEqual(['x']);
  });
});
