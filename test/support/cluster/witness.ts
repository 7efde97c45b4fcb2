import type { Pool } from 'pg';

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

/**
 * Writes every step of every job down, with what must never be: a step is refused nowhere, so that the nodes do what they
 * would do without a witness.
 */
const WITNESS = `
  create table witness (n bigint generated always as identity, uuid text, old_status text, new_status text, by text,
    held_by text, processing int, most int);
  create function witness_step() returns trigger language plpgsql as $$
  begin
    insert into witness (uuid, old_status, new_status, by, held_by, processing, most)
    values (new.uuid, old.status, new.status, current_user, old.lease_owner,
      (select count(*) from jobs where owner = new.owner and status = 'processing'), greatest(new.concurrency, new.burst));
    return null;
  end $$;
  create trigger witness_steps after update of status on jobs
    for each row when (old.status <> new.status) execute function witness_step();
`;

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
    ...counts.map(
      ({ owner, processing, real }) => `${owner} has ${real} in progress and counts ${processing}`,
    ),
    ...records.map(({ owner, identity }) => `${owner} has several records of ${identity}`),
  ];
}

/** Looks at the spots of all owners again and again, until it is stopped. Returns the highest number that it saw. */
export function watchSpots(admin: Pool, isOver: () => boolean): Promise<number> {
  const look = async () => {
    const { rows } = await admin.query(
      "select count(*)::int as pending from jobs where status in ('waiting', 'processing') group by owner order by 1 desc limit 1",
    );
    return (rows[0] as { pending: number } | undefined)?.pending ?? 0;
  };
  const watch = async () => {
    let most = 0;
    while (!isOver()) most = Math.max(most, await look().catch(() => 0)); // the database is being restarted
    return most;
  };
  return watch();
}
