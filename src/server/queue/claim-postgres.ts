import { type RawBuilder, sql } from 'kysely';
import type { ClaimBounds } from './port.ts';

/** The limit of its owner that a job must fit into; `burst` is for otherwise idle capacity. */
type Room = 'concurrency' | 'burst';

/**
 * The number of the job to take, on PostgreSQL. Its row and that of its owner, which counts the jobs in progress, are
 * locked; those that another transaction has locked are passed over. What it has changed meanwhile is looked at again by
 * PostgreSQL itself, before a row is chosen.
 */
export function lockNextJob(
  now: number,
  restrictions: Pick<ClaimBounds, 'onePerIdentity' | 'owners'>,
): RawBuilder<number> {
  const first = (room: Room) => lockFirstWaiting(room, now, restrictions);
  return sql<number>`coalesce(${first('concurrency')}, ${first('burst')})`;
}

function lockFirstWaiting(
  room: Room,
  now: number,
  { onePerIdentity = false, owners }: Pick<ClaimBounds, 'onePerIdentity' | 'owners'>,
): RawBuilder<number> {
  return sql`(select waiting.id from jobs as waiting join callers on callers.owner = waiting.owner
    where waiting.status = 'waiting' and waiting.run_at <= ${now}
      and callers.processing < least(${sql.ref(`waiting.${room}`)}, callers.burst)
      ${onePerIdentity ? HAS_NO_TWIN : sql``} ${owners ? isOf(owners) : sql``}
    order by waiting.turn, waiting.id limit 1 for update skip locked)`;
}

const HAS_NO_TWIN = sql`and not exists (select 1 from jobs as other
  where other.identity = waiting.identity and other.status = 'processing')`;

function isOf(owners: NonNullable<ClaimBounds['owners']>): RawBuilder<boolean> {
  const [names, isExcept] = 'only' in owners ? [owners.only, false] : [owners.except, true];
  return sql`and ${isExcept ? sql`not` : sql``} waiting.owner = any(${names})`;
}
