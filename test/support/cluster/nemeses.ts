import type { Pool } from 'pg';
import { poll } from '../server/poll.ts';
import type { Cluster, ClusterNode } from './cluster.ts';
import type { Subscriber } from './subscriber.ts';
import { silence } from './witness.ts';

/** What a nemesis may act on. */
export interface Scene extends Cluster {
  readonly subscribers: readonly Subscriber[];
}

/** A failure that is over when the promise resolves. */
type Nemesis = (scene: Scene, node: ClusterNode) => Promise<void>;

/** Milliseconds of a bad network: longer than requests take, shorter than any client's patience. */
const BAD_NETWORK = 1_500;
/** Error of a node's clock in milliseconds. */
const SKEW = 3_600_000;

const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

interface HeldJob {
  readonly uuid: string;
  /** The name of the worker that has it. */
  readonly worker: string;
}

/** A job that one of these processes is working on. */
async function findHeld(admin: Pool, processes: readonly string[]): Promise<HeldJob | undefined> {
  const { rows } = await admin.query(
    `select uuid, lease_owner as worker from jobs
      where status = 'processing' and split_part(lease_owner, '/', 2) = any($1) limit 1`,
    [processes],
  );
  return rows[0] as HeldJob | undefined;
}

/** A job of the node, which does nothing more until the test continues it. */
async function pauseAtJob(admin: Pool, node: ClusterNode): Promise<HeldJob> {
  const processes = [...node.processes].map(String);
  for (;;) {
    await poll(async () => await findHeld(admin, processes), Boolean);
    node.signal('SIGSTOP');
    const held = await findHeld(admin, processes); // what was under way to the database has arrived or will not
    if (held) return held;
    node.signal('SIGCONT');
  }
}

/** Gives a job to a nonexistent worker of a live node: only the holder may end it. */
async function giveAway(admin: Pool, { uuid, worker }: HeldJob): Promise<boolean> {
  const { rowCount } = await admin.query(
    `update jobs set lease_until = lease_until + 3600000,
        lease_owner = (select id || '#nobody' from nodes where $2 not like id || '#%' order by seen_at desc limit 1)
      where uuid = $1 and lease_owner = $2`,
    [uuid, worker],
  );
  return rowCount === 1;
}

/** Jobs that end while one is worked on, many times over: each worker records an end and takes the next job. */
const MANY = 30;

/**
 * Until the worker has tried to record the job's end: it has had two others since, the first of which may be claimed at
 * that moment. It gets none as long as the other workers leave no room, so it is enough that many jobs have ended.
 */
async function untilTried(admin: Pool, { uuid, worker }: HeldJob): Promise<void> {
  const others = new Set<string>();
  const countEnded = async () => {
    const { rows } = await admin.query(
      "select count(*)::int from jobs where status in ('completed', 'failed')",
    );
    return Number(rows[0]?.count);
  };
  const atFirst = await countEnded();
  const look = async () => {
    const { rows } = await admin.query('select uuid from jobs where lease_owner = $1 and uuid <> $2', [
      worker,
      uuid,
    ]);
    for (const row of rows) others.add(row.uuid);
    return others.size >= 2 || (await countEnded()) >= atFirst + MANY;
  };
  await poll(look, (hasTried) => hasTried);
}

/** Those of these jobs that have not ended. */
async function findPending(admin: Pool, uuids?: readonly string[]): Promise<string[]> {
  const { rows } = await admin.query(
    "select uuid from jobs where status in ('waiting', 'processing') and ($1::text[] is null or uuid = any($1))",
    [uuids],
  );
  return rows.map(({ uuid }) => String(uuid));
}

/** The process that works on a job, or empty once it has ended; undefined while it waits. */
async function findHolder(admin: Pool, uuid: string): Promise<string | undefined> {
  const { rows } = await admin.query(
    `select case status when 'processing' then split_part(lease_owner, '/', 2) when 'waiting' then null else '' end as holder
      from jobs where uuid = $1`,
    [uuid],
  );
  return (rows[0] as { holder: string | null } | undefined)?.holder ?? undefined;
}

const REFUSED_BY_A_CHECK = '23514';

/**
 * Takes all waiting jobs of an owner who has more of them than may be in progress, as a server would that counts wrongly,
 * and lets go of them at once. If nothing refuses it, the witness sees it.
 */
async function takeTooMany(admin: Pool): Promise<'refused' | 'taken' | 'nothing to take'> {
  try {
    const { rowCount } = await admin.query(
      `update jobs set status = 'processing', lease_owner = 'faulty', lease_until = 0, started_at = 0
        where status = 'waiting' and owner = (select owner from callers
          where (select count(*) from jobs where jobs.owner = callers.owner and status in ('waiting', 'processing')) > burst
          limit 1)`,
    );
    return rowCount === 0 ? 'nothing to take' : 'taken';
  } catch (error) {
    if ((error as { code?: string }).code === REFUSED_BY_A_CHECK) return 'refused';
    throw error;
  }
}

export const NEMESES = {
  'kills a node': async (_, node) => {
    await node.kill();
    await node.start();
  },

  'pauses a node until another one has its job': async ({ admin }, node) => {
    const processes = [...node.processes].map(String);
    const { uuid } = await pauseAtJob(admin, node);
    await poll(
      async () => await findHolder(admin, uuid),
      (holder) => holder !== undefined && !processes.includes(holder),
    );
    node.signal('SIGCONT'); // with a result in its hands that is another's to deliver
  },

  'gives the job of a paused node to another one': async ({ admin }, node) => {
    let held = await pauseAtJob(admin, node);
    while (!(await giveAway(admin, held))) {
      node.signal('SIGCONT'); // its end was on its way
      held = await pauseAtJob(admin, node);
    }
    node.signal('SIGCONT');
    await untilTried(admin, held); // so it has tried to record the end of what is no longer its own
    await admin.query('update jobs set lease_until = 0 where uuid = $1', [held.uuid]);
  },

  'loses what nodes tell one another': async ({ admin, subscribers }) => {
    await poll(
      () => subscribers.every(({ isOpen }) => isOpen),
      (areOpen) => areOpen,
    );
    await silence(admin, true);
    const pending = await findPending(admin);
    await poll(
      async () => await findPending(admin, pending),
      ({ length }) => length === 0,
    );
    await silence(admin, false);
    await poll(
      () => subscribers.flatMap((subscriber) => pending.filter((uuid) => subscriber.pending.has(uuid))),
      ({ length }) => length === 0,
    );
  },

  'takes more jobs of a user than may be in progress': async ({ admin }) => {
    await poll(
      async () => await takeTooMany(admin),
      (outcome) => outcome !== 'nothing to take',
    );
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
    await sleep(BAD_NETWORK * 3);
    proxy.heal();
  },

  'slows the connections of a node': async (_, { proxy }) => {
    proxy.slow(80);
    await sleep(BAD_NETWORK);
    proxy.heal();
  },

  'sets the clock of a node': async (_, node) => {
    await node.kill();
    await node.start({ skew: SKEW });
  },
} as const satisfies Record<string, Nemesis>;

export type NemesisName = keyof typeof NEMESES;
