import type { Pool } from 'pg';
import { poll } from '../server/poll.ts';
import type { Cluster, ClusterNode } from './cluster.ts';

/** Something that goes wrong, and is mended before the promise resolves. */
type Nemesis = (cluster: Cluster, node: ClusterNode) => Promise<void>;

/** Milliseconds for which the network is bad: longer than requests take, shorter than anybody's patience. */
const BAD_WEATHER = 1_500;
/** Milliseconds by which a node's clock is wrong. */
const SKEW = 3_600_000;

const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** A job that one of these processes is at. */
async function findHeld(admin: Pool, processes: readonly string[]): Promise<string | undefined> {
  const { rows } = await admin.query(
    "select uuid from jobs where status = 'processing' and split_part(lease_owner, '/', 2) = any($1) limit 1",
    [processes],
  );
  return (rows[0] as { uuid: string } | undefined)?.uuid;
}

/** The process that is at a job, or empty once it has ended; undefined while it waits. */
async function findHolder(admin: Pool, uuid: string): Promise<string | undefined> {
  const { rows } = await admin.query(
    `select case status when 'processing' then split_part(lease_owner, '/', 2) when 'waiting' then null else '' end as holder
      from jobs where uuid = $1`,
    [uuid],
  );
  return (rows[0] as { holder: string | null } | undefined)?.holder ?? undefined;
}

export const NEMESES = {
  'kills a node': async (_, node) => {
    await node.kill();
    await node.start();
  },

  'pauses a node until another one has its job': async ({ admin }, node) => {
    const processes = [...node.processes].map(String);
    const held = await poll(async () => await findHeld(admin, processes), Boolean);
    node.signal('SIGSTOP');
    await poll(
      async () => await findHolder(admin, held!),
      (holder) => holder !== undefined && !processes.includes(holder),
    );
    node.signal('SIGCONT'); // with a result in its hands that is another's to deliver
  },

  'ends all connections in the database': async ({ admin }) => {
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename like 'node%' and pid <> pg_backend_pid()",
    );
  },

  'crashes PostgreSQL': async ({ postgres }) => await postgres.crash(),

  'cuts the connections of a node': async (_, { proxy }) => proxy.cut(),

  'stalls the connections of a node': async (_, { proxy }) => {
    proxy.stall();
    await sleep(BAD_WEATHER * 3);
    proxy.heal();
  },

  'slows the connections of a node': async (_, { proxy }) => {
    proxy.slow(80);
    await sleep(BAD_WEATHER);
    proxy.heal();
  },

  'sets the clock of a node': async (_, node) => {
    await node.kill();
    await node.start(SKEW);
  },
} as const satisfies Record<string, Nemesis>;

export type NemesisName = keyof typeof NEMESES;
