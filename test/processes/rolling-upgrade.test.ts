import type { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NEWEST_SCHEMA } from '../../src/server/store/meta.ts';
import { openPostgresStore } from '../../src/server/store/postgres/postgres-store.ts';
import { openStore } from '../../src/server/store/sqlite.ts';
import { openCluster } from '../support/cluster/cluster.ts';
import { SLOTS, writePlan } from '../support/cluster/plan.ts';
import { ServerProcess } from '../support/cluster/server-process.ts';
import { expectNothingLost, Load, PATIENT } from '../support/cluster/upgrade-load.ts';
import { makeKeys } from '../support/cluster/users.ts';
import { findFaults, watchPeaks } from '../support/cluster/witness.ts';
import { NO_GAME } from '../support/fake-game/nowhere.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { giveSigningKey } from '../support/server/running-server.ts';

/** Replaces one server after the other by one of the next version, each time waiting until all of them have work. */
async function upgrade(servers: readonly [ServerProcess, ServerProcess], load: Load): Promise<void> {
  await load.untilServedBy(servers);
  for (const server of servers.toReversed()) {
    await server.stop();
    await server.start({ version: 'next' });
    await load.untilServedBy(servers);
  }
  load.finish();
}

test('Beside a server on the same file a newer one upgrades the store, and neither loses anything', async () => {
  const dataDir = await ownFolder();
  await giveSigningKey(dataDir);
  const options = {
    port: 0,
    gameAddresses: NO_GAME,
    dataDir,
    plansFile: await writePlan('upgrading'),
    workers: 2,
    pace: 100,
    ...PATIENT,
  };
  const servers = [new ServerProcess(options), new ServerProcess(options)] as const;
  const store = await openStore(dataDir);
  onTestFinished(async () => await store.close());
  const keys = await makeKeys(store.db, servers[0], 'upgrading');
  await servers[1].start();
  const load = new Load(servers, keys);
  await upgrade(servers, load);
  await expectNothingLost(load, store);
});

async function readSchema(admin: Pool): Promise<string[]> {
  const { rows } = await admin.query(
    "select value from meta where key in ('schema', 'oldest-reader') order by key",
  );
  return rows.map(({ value }) => String(value));
}

describe('With PostgreSQL', () => {
  test('Servers of two versions work side by side while one after the other is replaced, and nothing is lost', async () => {
    const cluster = await openCluster(2, {
      plansFile: await writePlan('upgrading'),
      workers: 2,
      pace: 100,
      ...PATIENT,
    });
    const [one, two] = [cluster.nodes[0]!, cluster.nodes[1]!];
    const store = await openPostgresStore({ url: cluster.postgres.urlOf('postgres') });
    onTestFinished(async () => await store.close());
    const keys = await makeKeys(store.db, one, 'upgrading');
    await two.start();
    const [oldest] = await readSchema(cluster.admin);
    let isOver = false;
    const peaks = watchPeaks(cluster.admin, () => isOver);
    const load = new Load([one, two], keys);
    await upgrade([one, two], load).finally(() => {
      isOver = true;
    });
    await expectNothingLost(load, store);
    expect((await peaks).slots).toBeLessThanOrEqual(SLOTS);
    expect(await findFaults(cluster.admin, cluster.processesOf())).toEqual([]);
    expect(await readSchema(cluster.admin)).toEqual([oldest, String(NEWEST_SCHEMA + 1)]);
  });
});
