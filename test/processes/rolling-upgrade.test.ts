import type { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NEWEST_SCHEMA } from '../../src/server/store/migrate.ts';
import { openPostgresStore } from '../../src/server/store/postgres/postgres-store.ts';
import { openStore, type Store } from '../../src/server/store/store.ts';
import { openCluster } from '../support/cluster/cluster.ts';
import { editUntil } from '../support/cluster/edits.ts';
import { isFault, submitUntil } from '../support/cluster/load.ts';
import { SPOTS, writePlan } from '../support/cluster/plan.ts';
import { ServerProcess } from '../support/cluster/server-process.ts';
import { makeKeys } from '../support/cluster/users.ts';
import { findFaults, watchPeaks } from '../support/cluster/witness.ts';
import { NO_GAME } from '../support/fake-game/nowhere.ts';
import { HAS_POSTGRES } from '../support/postgres/own-database.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { poll } from '../support/server/poll.ts';
import { giveSigningKey } from '../support/server/running-server.ts';
import type { Heard } from '../support/server/test-caller.ts';

/** How many of a user's requests are under way at once. */
const SENDERS = 2;
/** Jobs that each server has to accept in each stage. */
const ENOUGH = 12;

/** Users who submit, list and edit on any of the servers, until `finish` is called. */
class Load {
  readonly accepted: Promise<string[]>;
  readonly edits: Promise<number[]>;
  /** Answers that a service whose servers are replaced one by one never gives. */
  readonly faults: string[] = [];
  /** How many jobs each server has accepted, by its address. */
  readonly acceptedBy = new Map<string, number>();
  #isOver = false;
  #turn = 0;

  constructor(servers: readonly ServerProcess[], keys: readonly string[]) {
    const isOver = () => this.#isOver;
    onTestFinished(() => this.finish());
    const onFault = (fault: string) => this.faults.push(fault);
    const senders = keys.flatMap((key, user) =>
      Array.from({ length: SENDERS }, async (_, sender) => {
        let url = '';
        const pick = () => {
          const server = this.#pick(servers);
          url = server.url ?? '';
          return server;
        };
        const onHeard = (heard: Heard) => {
          if (heard.status === 202) this.acceptedBy.set(url, (this.acceptedBy.get(url) ?? 0) + 1);
          if (isFault(heard)) onFault(`${heard.status}: ${JSON.stringify(heard.body)}`);
        };
        return await submitUntil(isOver, { key, pictures: (user * SENDERS + sender) * 5_000, pick, onHeard });
      }),
    );
    this.accepted = Promise.all(senders).then((all) => all.flat());
    const pick = () => this.#pick(servers);
    this.edits = Promise.all(keys.map(async (key) => await editUntil(isOver, { key, pick, onFault })));
  }

  /** Resolves when each of these servers has accepted enough from now on, or when something is wrong. */
  async untilServedBy(servers: readonly ServerProcess[]): Promise<void> {
    this.acceptedBy.clear();
    await poll(
      () => servers.map(({ url = '' }) => this.acceptedBy.get(url) ?? 0),
      (counts) => this.faults.length > 0 || counts.every((count) => count >= ENOUGH),
    );
    expect(this.faults).toEqual([]);
  }

  finish(): void {
    this.#isOver = true;
  }

  /** One of those that run, in turn. */
  #pick(servers: readonly ServerProcess[]): Pick<ServerProcess, 'url'> {
    const running = servers.filter(({ url }) => url !== undefined);
    return running[this.#turn++ % running.length] ?? { url: undefined };
  }
}

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

/** Resolves when all jobs have ended, to those that were accepted and are not completed. */
async function findLost({ db }: Store, accepted: readonly string[]): Promise<string[]> {
  const jobs = await poll(
    () => db.selectFrom('jobs').select(['uuid', 'status']).execute(),
    (all) => all.every(({ status }) => status === 'completed' || status === 'failed'),
  );
  const completed = new Set(jobs.filter(({ status }) => status === 'completed').map(({ uuid }) => uuid));
  return accepted.filter((uuid) => !completed.has(uuid));
}

/** What has to be true of every upgrade. */
async function expectNothingLost(load: Load, store: Store): Promise<void> {
  const [accepted, edits] = await Promise.all([load.accepted, load.edits]);
  expect(load.faults).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);
  expect(await findLost(store, accepted)).toEqual([]);
  for (const count of edits) expect(count).toBeGreaterThan(0);
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

describe.runIf(HAS_POSTGRES)('With PostgreSQL', () => {
  test('Servers of two versions work side by side while one after the other is replaced, and nothing is lost', async () => {
    const cluster = await openCluster(2, { plansFile: await writePlan('upgrading'), workers: 2 });
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
    expect((await peaks).spots).toBeLessThanOrEqual(SPOTS);
    expect(await findFaults(cluster.admin, cluster.processesOf())).toEqual([]);
    expect(await readSchema(cluster.admin)).toEqual([oldest, String(NEWEST_SCHEMA + 1)]);
  });
});
