import { type RawBuilder, type Simplify, sql } from 'kysely';
import { prepareSql } from '../store/prepared.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import { type LeaseEnd, leaseEnd } from './lease-time.ts';
import type { ClaimBounds } from './port.ts';

/** The limit of its owner that a job must fit into; `burst` is for otherwise idle capacity. */
type Room = 'concurrency' | 'burst';

type Restrictions = Pick<ClaimBounds, 'onePerIdentity' | 'owners'>;

/**
 * The number of the job to take, on PostgreSQL. Its row and that of its owner, which counts the jobs in progress, are
 * locked; those that another transaction has locked are passed over. What it has changed meanwhile is looked at again by
 * PostgreSQL itself, before a row is chosen.
 */
export function lockNextJob(now: number, restrictions: Restrictions): RawBuilder<number> {
  const first = (room: Room) =>
    sql`(select waiting.id ${lockWaiting(room, now, { ...restrictions, most: 1 })})`;
  return sql<number>`coalesce(${first('concurrency')}, ${first('burst')})`;
}

function lockWaiting(
  room: Room,
  now: number,
  {
    onePerIdentity = false,
    owners,
    most,
    also = sql``,
  }: Restrictions & { readonly most: number; readonly also?: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`from jobs as waiting join callers on callers.owner = waiting.owner
    where waiting.status = 'waiting' and waiting.run_at <= ${now}
      and callers.processing < least(${sql.ref(`waiting.${room}`)}, callers.burst)
      ${onePerIdentity ? HAS_NO_TWIN : sql``} ${owners ? isOf(owners) : sql``} ${also}
    order by waiting.turn, waiting.id limit ${most} for update skip locked`;
}

const HAS_NO_TWIN = sql`and not exists (select 1 from jobs as other
  where other.identity = waiting.identity and other.status = 'processing')`;

function isOf(owners: NonNullable<ClaimBounds['owners']>): RawBuilder<boolean> {
  const [names, isExcept] = 'only' in owners ? [owners.only, false] : [owners.except, true];
  return sql`and ${isExcept ? sql`not` : sql``} waiting.owner = any(${names})`;
}

type Claims = LeaseEnd & {
  /** One for each job, at most. */
  readonly workers: readonly string[];
  readonly most: number;
  readonly now: number;
  /** Milliseconds to wait for the owner whose turn it is. */
  readonly patience: number;
};

/**
 * A job, which of the workers has it (from 1), the identity of its data if the store has that, and whether other jobs
 * wait.
 */
export type ClaimedRow = Simplify<
  JobRow & { readonly place: number; readonly known: string | null; readonly more: boolean }
>;

/**
 * Locks the owner whose turn it is. Without this, nodes that claim at the same moment would take the jobs of whoever is
 * not locked, and owners with more or heavier jobs would lose their share, being locked more often. Nothing else is locked
 * yet by then, so nobody waits in a circle.
 */
const WHOSE_TURN = ({
  now,
  patience,
}: Pick<Claims, 'now' | 'patience'>) => sql`first as materialized (select callers.owner
  from (select set_config('lock_timeout', ${patience}::text, true) as set) as patience,
    jobs as waiting join callers on callers.owner = waiting.owner
  where patience.set is not null and waiting.status = 'waiting' and waiting.run_at <= ${now}
    and callers.processing < least(waiting.concurrency, callers.burst)
  order by waiting.turn, waiting.id limit 1 for update of callers),`;

const IS_LOCKED = sql`and (select count(*) from first) >= 0`;

/**
 * Takes the next jobs for several workers in one statement. Those of one owner that do not fit into its limit together
 * are left out, so there may be fewer than could be taken; there is none only if none could.
 */
function claimSeveral(isInTurn: boolean): (claims: Claims) => RawBuilder<ClaimedRow> {
  const also = isInTurn ? IS_LOCKED : sql``;
  return ({ workers, most, now, patience, ...until }) => {
    const locked = (room: Room) => sql`
      select waiting.id, waiting.owner, waiting.turn, callers.processing,
        least(${sql.ref(`waiting.${room}`)}, callers.burst) as most ${lockWaiting(room, now, { most, also })}`;
    const fitting = (locks: string) => sql`select id, turn from
      (select *, row_number() over (partition by owner order by turn, id) as place from ${sql.ref(locks)}) as candidates
      where processing + place <= candidates.most`;
    return sql<ClaimedRow>`
      with ${isInTurn ? WHOSE_TURN({ now, patience }) : sql``} within as materialized (${locked('concurrency')}),
        beyond as materialized (${locked('burst')}),
        taken as (${fitting('within')} union all
          select * from (${fitting('beyond')}) as idle where not exists (select 1 from within)),
        placed as (select id, row_number() over (order by turn, id) as place from taken)
      update jobs set status = 'processing', attempts = attempts + 1, started_at = ${now},
        lease_owner = workers.name, lease_until = ${leaseEnd(until)}
      from placed join unnest(${workers}::text[]) with ordinality as workers (name, place) using (place)
      where jobs.id = placed.id and jobs.status = 'waiting'
      returning jobs.*, place, (select identity from texture_data where texture_data.identity = jobs.identity) as known,
        exists (select 1 from jobs as other where other.status = 'waiting' and other.id not in (select id from placed)) as more`;
  };
}

/** Waits for the owner whose turn it is. @throws an error with `LOCK_TIMEOUT` if that takes too long */
export const CLAIM_IN_TURN = prepareSql<Claims, ClaimedRow>(claimSeveral(true));

/** Passes over owners that are locked: somebody who has stopped in the middle must not stop all others. */
export const CLAIM_UNLOCKED = prepareSql<Claims, ClaimedRow>(claimSeveral(false));
