import { describe, expect, onTestFinished, test } from 'vitest';
import { POOL_OPTIONS } from '../../src/server/store/postgres/pool.ts';
import { openPostgresDb } from '../../src/server/store/postgres/postgres-store.ts';
import { type Cluster, type ClusterNode, openCluster } from '../support/cluster/cluster.ts';
import { generateUntil, isRude, submitUntil } from '../support/cluster/load.ts';
import { NEMESES, type NemesisName, type Scene } from '../support/cluster/nemeses.ts';
import { SLOTS, writePlan } from '../support/cluster/plan.ts';
import { Subscriber } from '../support/cluster/subscriber.ts';
import { makeKeys, USERS } from '../support/cluster/users.ts';
import { findFaults, watchPeaks } from '../support/cluster/witness.ts';
import { poll } from '../support/server/poll.ts';
import type { Heard } from '../support/server/test-caller.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** Every nemesis of `CHOSEN` comes once; with SKINSMITH_CHAOS_ROUNDS so often. */
const ROUNDS = Number(process.env['SKINSMITH_CHAOS_ROUNDS'] ?? 1);
/** The order of everything that is random; a failure says which. */
const SEED = Number(process.env['SKINSMITH_CHAOS_SEED'] ?? (isWhole ? Date.now() % 1_000_000 : 4_711));
const MINUTES = 60_000;
/**
 * Of these, another one does the same and more: crashes, cut connections, and a node that is killed to set its clock.
 * What becomes of lost words, service/running/too-new-store and server/store/postgres/postgres-store notice.
 */
const MILD: readonly string[] = [
  'loses what nodes tell one another',
  'kills a node',
  'ends all connections in the database',
  'stalls the connections of a node',
  'slows the connections of a node',
] satisfies NemesisName[];
const CHOSEN = (Object.keys(NEMESES) as NemesisName[]).filter((name) => isWhole || !MILD.includes(name));
/** Of a node: its pool and its listener, and once more as many whose end PostgreSQL has not noticed yet. */
const CONNECTIONS = 2 * (POOL_OPTIONS.connections + 1);

const NODES = isWhole ? 3 : 2;
/** How many of a user's requests are under way at once, besides one that waits for its skin. */
const SENDERS = isWhole ? 2 : 1;
/** Pictures of each of them: no two send the same, and there are 65,536. */
const PICTURES = 4_000;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

async function makeUsers({ postgres, nodes }: Cluster): Promise<string[]> {
  const db = await openPostgresDb(postgres.urlOf('postgres'));
  const keys = await makeKeys(db, nodes[0]!, 'chaos');
  await db.destroy();
  return keys;
}

/** For each user at each node. */
function subscribe({ nodes }: Cluster, keys: readonly string[]): Subscriber[] {
  const subscribers = nodes.flatMap((node) => keys.map((key) => new Subscriber({ node, key })));
  for (const subscriber of subscribers) void subscriber.follow();
  onTestFinished(async () => {
    await Promise.all(subscribers.map(async (subscriber) => await subscriber.stop()));
  });
  return subscribers;
}

interface Outcome {
  /** How many skins came to those of each user who wait for them. */
  readonly waitedFor: readonly number[];
  /** Jobs that clients were told they have. */
  readonly accepted: readonly string[];
  readonly rudeness: readonly string[];
}

async function runChaos(scene: Scene, keys: readonly string[], random: () => number): Promise<Outcome> {
  const pick = (): ClusterNode => scene.nodes[Math.floor(random() * scene.nodes.length)]!;
  let isOver = false;
  const peaks = watchPeaks(scene.admin, () => isOver);
  const rudeness: string[] = [];
  const onHeard = (heard: Heard) => {
    if (isRude(heard)) rudeness.push(`${heard.status}: ${JSON.stringify(heard.body)}`);
  };
  const load = keys.flatMap((key, user) =>
    Array.from({ length: SENDERS }, async (_, sender) => {
      const pictures = (user * SENDERS + sender) * PICTURES;
      return await submitUntil(() => isOver, { key, pictures, pick, onHeard });
    }),
  );
  const waiting = keys.map(async (key, user) => {
    const pictures = (USERS.length * SENDERS + user) * PICTURES;
    return await generateUntil(() => isOver, { key, pictures, pick, onHeard });
  });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of shuffled(CHOSEN, random)) {
        await NEMESES[name](scene, pick());
      }
    }
  } finally {
    isOver = true;
  }
  const { slots, connections } = await peaks;
  expect(slots).toBeLessThanOrEqual(SLOTS);
  expect(connections).toBeLessThanOrEqual(CONNECTIONS);
  return { accepted: (await Promise.all(load)).flat(), waitedFor: await Promise.all(waiting), rudeness };
}

describe('With PostgreSQL', () => {
  test(`Whatever happens to nodes and their database, each accepted job ends once, within all limits (seed ${SEED})`, {
    timeout: ROUNDS * 10 * MINUTES,
  }, async () => {
    const random = randomFrom(SEED);
    const plansFile = await writePlan('chaos');
    const cluster = await openCluster(
      NODES,
      { plansFile, pace: 800, workers: 4 },
      { statementTimeout: 3_000 },
    );
    const keys = await makeUsers(cluster);
    await Promise.all(cluster.nodes.map(async (node) => await node.start()));
    const subscribers = subscribe(cluster, keys);
    const chaos = runChaos({ ...cluster, subscribers }, keys, random);
    const crashes = cluster.nodes.map(async (node) => await node.crash);
    const { accepted, waitedFor, rudeness } = await Promise.race([chaos, ...crashes]);
    const { rows } = await poll(
      async () => await cluster.admin.query('select uuid, status, error_code from jobs order by id'),
      ({ rows: jobs }) => jobs.every(({ status }) => status === 'completed' || status === 'failed'),
    );
    await poll(
      () => subscribers.flatMap(({ pending }) => [...pending]),
      ({ length }) => length === 0,
    );
    const ended = new Map(rows.map(({ uuid, status, error_code }) => [uuid, error_code ?? status]));
    expect(accepted.length).toBeGreaterThan(USERS.length * SLOTS);
    expect(accepted.filter((uuid) => ended.get(uuid) !== 'completed')).toEqual([]);
    expect(cluster.nodes.flatMap(({ faults }) => faults)).toEqual([]);
    expect(rudeness).toEqual([]);
    expect(Math.min(...waitedFor)).toBeGreaterThan(0);
    expect(new Set(accepted).size).toBe(accepted.length);
    expect(await findFaults(cluster.admin, cluster.processesOf())).toEqual([]);
  });
});
