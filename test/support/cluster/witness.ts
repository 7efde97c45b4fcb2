import type { Pool } from 'pg';
import { QUEUE_TIMES } from '../../../src/server/queue/port.ts';

/** What a job went through, as the database saw it in the transaction that changed it. */
interface Step {
  readonly uuid: string;
  readonly old_status: string;
  readonly new_status: string;
  /** The database's user that made the step: each node has one of its own. */
  readonly by: string;
  /** Who had the lease. */
  readonly held_by: string | null;
}

/** In characters. Nodes send themselves shorter texts to find out whether notifications arrive. */
const LONGEST_SELF_CALL = 14;

/**
 * Writes every step of every job down, with what must never be: a step is refused nowhere, so that the nodes do what they
 * would do without a witness. Also lets what nodes tell one another be lost.
 */
const WITNESS = `
  create table witness (n bigint generated always as identity, uuid text, old_status text, new_status text, by text,
    held_by text, processing int, most int, lease bigint);
  create function witness_step() returns trigger language plpgsql as $$
  begin
    insert into witness (uuid, old_status, new_status, by, held_by, processing, most, lease)
    values (new.uuid, old.status, new.status, current_user, old.lease_owner,
      (select count(*) from jobs where owner = new.owner and status = 'processing'), greatest(new.concurrency, new.burst),
      new.lease_until - (extract(epoch from clock_timestamp()) * 1000)::bigint);
    return null;
  end $$;
  create trigger witness_steps after update of status on jobs
    for each row when (old.status <> new.status or old.lease_owner <> new.lease_owner) execute function witness_step();
  create table silence (is_on boolean);
  insert into silence values (false);
  alter function pg_catalog.pg_notify(text, text) rename to real_notify;
  create function pg_notify(channel text, payload text) returns void language plpgsql as $$
  begin
    if length(payload) < ${LONGEST_SELF_CALL} or not (select is_on from silence) then
      perform real_notify(channel, payload);
    end if;
  end $$;
`;

/** Loses notifications between nodes without their knowledge, or delivers them again. */
export async function silence(admin: Pool, isOn: boolean): Promise<void> {
  await admin.query('update silence set is_on = $1', [isOn]);
}

export async function installWitness(admin: Pool): Promise<void> {
  await admin.query(WITNESS);
}

/** Processes that each of the database's users had. */
export type ProcessesOf = ReadonlyMap<string, ReadonlySet<number>>;

/** What went wrong, a line each. */
export async function findFaults(admin: Pool, processesOf: ProcessesOf): Promise<string[]> {
  const all = async <Row>(sql: string) => (await admin.query(sql)).rows as Row[];
  const twice = await all<{ uuid: string; ends: number }>(
    "select uuid, count(*)::int as ends from witness where new_status in ('completed', 'failed') group by uuid having count(*) > 1",
  );
  const over = await all<{ uuid: string; processing: number; most: number }>(
    "select uuid, processing, most from witness where new_status = 'processing' and processing > most",
  );
  const ends = await all<Step>("select * from witness where new_status = 'completed'");
  const taken = await all<Step>(
    "select * from witness where old_status = 'processing' and new_status = 'processing' and by like 'node%'",
  );
  const long = await all<Pick<Step, 'uuid' | 'by'> & { readonly lease: number }>(
    `select uuid, by, lease::int from witness where new_status = 'processing' and lease > ${QUEUE_TIMES.lease}`,
  );
  const late = ends.filter(({ by, held_by }) => !processesOf.get(by)?.has(Number(held_by?.split('/')[1])));
  const counts = await all<{ owner: string; processing: number; real: number }>(
    `select owner, processing, (select count(*)::int from jobs where jobs.owner = callers.owner and status = 'processing') as real
      from callers where processing <> (select count(*) from jobs where jobs.owner = callers.owner and status = 'processing')`,
  );
  const records = await all<{ owner: string; identity: string }>(
    'select owner, identity from skins group by owner, identity having count(*) > 1',
  );
  return [
    ...twice.map(({ uuid, ends: times }) => `${uuid} ended ${times} times`),
    ...over.map(
      ({ uuid, processing, most }) =>
        `with ${uuid}, ${processing} of its owner were in progress, not ${most}`,
    ),
    ...late.map(({ uuid, by, held_by }) => `${by} completed ${uuid}, which ${held_by} had`),
    ...taken.map(({ uuid, by, held_by }) => `${by} took ${uuid}, which ${held_by} had`),
    ...long.map(({ uuid, by, lease }) => `${by} took ${uuid} for ${lease} ms`),
    ...counts.map(
      ({ owner, processing, real }) => `${owner} has ${real} in progress and counts ${processing}`,
    ),
    ...records.map(({ owner, identity }) => `${owner} has several records of ${identity}`),
  ];
}

/** The highest seen so far. */
export interface Peaks {
  /** Pending jobs of an owner. */
  readonly slots: number;
  /** Connections of a node, those included whose end PostgreSQL has not noticed yet. */
  readonly connections: number;
}

/** Milliseconds between two looks: what is too much lasts longer, as a job takes hundreds of them and a connection more. */
const PAUSE = 50;

/** Checks repeatedly until it is over. */
export async function watchPeaks(admin: Pool, isOver: () => boolean): Promise<Peaks> {
  let [slots, connections] = [0, 0];
  while (!isOver()) {
    const { rows } = await admin.query(PEAKS).catch(() => ({ rows: [] })); // the database is being restarted
    slots = Math.max(slots, rows[0]?.slots ?? 0);
    connections = Math.max(connections, rows[0]?.connections ?? 0);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return { slots, connections };
}

const PEAKS = `select
  (select count(*)::int from jobs where status in ('waiting', 'processing') group by owner order by 1 desc limit 1) as slots,
  (select count(*)::int from pg_stat_activity where usename like 'node%' group by usename order by 1 desc limit 1)
    as connections`;
