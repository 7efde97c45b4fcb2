import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { openNode, Releases } from '../../../src/server/assembly/node.ts';
import { nodeName } from '../../../src/server/queue/leases.ts';
import { DatabaseClock, listNodes, NODE_TIMEOUT } from '../../../src/server/store/nodes.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

const onError = (error: unknown) => {
  throw error;
};

test("On one machine, a node uses the machine's clock and sends no heartbeats", async () => {
  const { db } = await openOwnStore(await ownFolder());
  const { clock, leasesBy } = await openNode({}, db, { releases: new Releases(), onError });
  expect([clock, leasesBy]).toEqual([systemClock, 'process']);
  expect(await db.selectFrom('nodes').selectAll().execute()).toEqual([]);
});

describe('With PostgreSQL', () => {
  test("A node uses the database's clock, is known to the others, and signs off", async () => {
    const db = await openPostgresDb(await ownDatabase());
    onTestFinished(async () => await db.destroy());
    const releases = new Releases();
    const { self, clock, leasesBy } = await openNode({}, db, { releases, onError });
    const living = async () => (await listNodes(db, NODE_TIMEOUT)).map(({ id }) => id);
    expect([await living(), leasesBy]).toEqual([[nodeName(self)], 'database']);
    expect(clock).not.toBe(systemClock);
    await releases.releaseAll();
    expect(await living()).toEqual([]);
  });

  test('Each heartbeat keeps the node alive and measures the clock of the database again', async () => {
    const db = await openPostgresDb(await ownDatabase());
    onTestFinished(async () => await db.destroy());
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const releases = new Releases();
    await openNode({}, db, { releases, onError });
    const measure = vi.spyOn(DatabaseClock.prototype, 'measure');
    onTestFinished(() => measure.mockRestore());
    for (const beats of [1, 2]) {
      await db.updateTable('nodes').set({ seen_at: 0 }).execute();
      vi.advanceTimersToNextTimer();
      await poll(
        async () => await listNodes(db, NODE_TIMEOUT),
        (living) => living.length === 1,
        60_000,
      );
      expect(measure).toHaveBeenCalledTimes(beats);
      await Promise.all(measure.mock.results.map(({ value }) => value));
      await new Promise(setImmediate); // the next beat waits until this one is over
    }
    await releases.releaseAll();
  });

  test('Only one of several nodes does a chore', async () => {
    const db = await openPostgresDb(await ownDatabase());
    onTestFinished(async () => await db.destroy());
    const releases = new Releases();
    const done: number[] = [];
    for (const n of [1, 2]) {
      const { chores } = await openNode({}, db, { releases, onError });
      await chores.run('prune', 600_000, async () => void done.push(n));
    }
    expect(done).toEqual([1]);
    await releases.releaseAll();
  });

  test('A clock that is passed in is used by all nodes', async () => {
    const db = await openPostgresDb(await ownDatabase());
    onTestFinished(async () => await db.destroy());
    const [releases, clock] = [new Releases(), new MovableClock()];
    const node = await openNode({ clock }, db, { releases, onError });
    expect([node.clock, node.leasesBy]).toEqual([clock, 'process']);
    await releases.releaseAll();
  });
});
