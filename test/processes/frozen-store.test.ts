import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TokenCipher } from '../../src/server/accounts/held-account.ts';
import { openStoreOf } from '../../src/server/assembly/service-parts.ts';
import type { ServerOptions } from '../../src/server/server.ts';
import { NEWEST_SCHEMA } from '../../src/server/store/meta.ts';
import type { StorePlace } from '../../src/server/store-copy/copy-store.ts';
import { SLOTS, writePlan } from '../support/cluster/plan.ts';
import { ServerProcess } from '../support/cluster/server-process.ts';
import { expectNothingLost, Load, PATIENT } from '../support/cluster/upgrade-load.ts';
import { makeUserKeys } from '../support/cluster/users.ts';
import { findFaults, installWitness, watchPeaks } from '../support/cluster/witness.ts';
import { NO_GAME } from '../support/fake-game/nowhere.ts';
import { expectAnswers } from '../support/frozen-stores/answers.ts';
import { changesAtWork } from '../support/frozen-stores/at-work.ts';
import { type Contents, differences, readContents } from '../support/frozen-stores/contents.ts';
import {
  giveFrozenKeys,
  NEWEST_FROZEN,
  thawDatabase,
  thawFile,
} from '../support/frozen-stores/frozen-stores.ts';
import { readUntil } from '../support/frozen-stores/readers.ts';
import { FROZEN_KEYS, FROZEN_URL, TOKENS } from '../support/frozen-stores/secrets.ts';
import { emptyDatabase } from '../support/postgres/own-database.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { TestCaller } from '../support/server/test-caller.ts';
import { testWhole } from '../support/setup/extent.ts';

/** Jobs that each server has to accept in each stage. */
const ENOUGH = 2;

async function optionsFor(dataDir: string): Promise<ServerOptions> {
  await giveFrozenKeys(dataDir);
  const plansFile = await writePlan('upgrading');
  const usual = { port: 0, gameAddresses: NO_GAME, workers: 2, pace: 100, ...PATIENT };
  return { ...usual, publicUrl: FROZEN_URL, dataDir, plansFile };
}

async function schemaOf(place: StorePlace): Promise<number> {
  const meta = (await readContents(place)).get('meta') ?? [];
  return Number(meta.find(({ key }) => key === 'schema')?.['value']);
}

type Three = readonly [ServerProcess, ServerProcess, ServerProcess];

/** Starts a server of this version, then two at once that know a migration more, and stops the first one; under load. */
async function upgrade(
  servers: Three,
  place: StorePlace,
  store: Contents,
): Promise<{ load: Load; url: string }> {
  const [old, ...others] = servers;
  await old.start();
  const keys = await makeUserKeys(new TestCaller(old.url ?? '', { key: FROZEN_KEYS.owner }), 'upgrading');
  const load = new Load(servers, keys.slice(1), ENOUGH);
  const reads = readUntil(
    () => load.isOver,
    { servers, store },
    (fault) => load.faults.push(fault),
  );
  await load.untilServedBy([old]);
  expect(await schemaOf(place)).toBe(NEWEST_SCHEMA);
  await Promise.all(others.map(async (server) => await server.start({ version: 'next' })));
  await load.untilServedBy(servers);
  await old.stop();
  await load.untilServedBy(others);
  load.finish();
  expect(await reads).toBeGreaterThan(0);
  return { load, url: others[0].url ?? '' };
}

/** What has to be true of the upgrade of a frozen store. */
async function expectUpgrade(options: ServerOptions, place: StorePlace, servers: Three): Promise<void> {
  const before = await readContents(place);
  const { load, url } = await upgrade(servers, place, before);
  expect(await schemaOf(place)).toBe(NEWEST_SCHEMA + 1);
  const store = await openStoreOf(options);
  onTestFinished(async () => await store.close());
  await expectNothingLost(load, store);
  await expectAnswers(url, before);
  const after = await readContents(place);
  expect(differences(before, after, changesAtWork)).toEqual([]);
  const cipher = new TokenCipher(join(options.dataDir, 'account-key'));
  for (const { uuid, secret } of after.get('game_accounts') ?? [])
    expect(await cipher.open(String(uuid), String(secret))).toBe(TOKENS);
}

// Without load, `server/store/meta/frozen-stores` upgrades one; the same migrations come to a database below.
testWhole(
  'Two processes of the next version, beside one of this version, upgrade a frozen file under load: all its data is kept and served',
  async () => {
    const folder = await ownFolder();
    await thawFile(NEWEST_FROZEN, folder);
    const options = await optionsFor(folder);
    const server = () => new ServerProcess(options);
    await expectUpgrade(options, { folder }, [server(), server(), server()]);
  },
);

/** A server with a user of its own in the database, which is its name. */
async function addNode(admin: Pool, { store, ...options }: ServerOptions) {
  const name = `node-${randomUUID()}`;
  await admin.query(`create role "${name}" superuser login`); // it ends with the run's PostgreSQL
  const url = Object.assign(new URL(store!.url), { username: name }).href;
  return { name, server: new ServerProcess({ ...options, store: { ...store!, url } }) };
}

describe('With PostgreSQL', () => {
  test('Two nodes of the next version, beside one of this version, upgrade a frozen database under load: all its data is kept and served, and each job ends once, on the node that holds it', async () => {
    const url = await emptyDatabase();
    await thawDatabase(NEWEST_FROZEN, url);
    const admin = new Pool({ connectionString: url, max: 2 });
    admin.on('error', () => {}); // the database is dropped before the connections have ended
    onTestFinished(async () => await admin.end());
    await installWitness(admin);
    const store = { url, connections: 4, connectTimeout: 300_000, statementTimeout: 300_000 };
    const options = { ...(await optionsFor(await ownFolder())), store };
    const nodes = [
      await addNode(admin, options),
      await addNode(admin, options),
      await addNode(admin, options),
    ];
    const [one, two, three] = nodes.map(({ server }) => server);
    let isOver = false;
    const peaks = watchPeaks(admin, () => isOver);
    await expectUpgrade(options, { postgres: store }, [one!, two!, three!]).finally(() => {
      isOver = true;
    });
    expect((await peaks).slots).toBeLessThanOrEqual(SLOTS);
    const processesOf = new Map(nodes.map(({ name, server }) => [name, server.processes]));
    expect(await findFaults(admin, processesOf)).toEqual([]);
  });
});
