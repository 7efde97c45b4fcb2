import type { Clock } from '../../base/clock.ts';
import { deleteIdleCallers, lastTurn, moveQueueClock } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { FINISHED, WAITING } from '../store/schema/tables.ts';

/** Jobs deleted per statement: a longer one would block everyone else. */
const PRUNED_AT_ONCE = 5_000;

interface Pruned {
  /** Deletes jobs that ended before, milliseconds since the epoch. */
  readonly before: number;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly atOnce?: number;
}

/** Deletes jobs that ended long ago, a part at a time. */
export async function pruneJobs(db: Db, { before, clock, atOnce = PRUNED_AT_ONCE }: Pruned): Promise<void> {
  while ((await pruneSome(db, before, atOnce)) > 0) await clock.sleep(0); // lets others use the store in between
}

async function pruneSome(db: Db, before: number, atOnce: number): Promise<bigint> {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', 'in', (jobs) =>
      jobs.selectFrom('jobs').select('id').where(FINISHED).where('finished_at', '<', before).limit(atOnce),
    )
    .executeTakeFirst();
  return numDeletedRows;
}

/**
 * Deletes callers without any remaining state. While no job waits, no owner is ahead of another: the clock then
 * advances to the last turn given, since otherwise callers with a single job would be kept for ever. Not in one
 * transaction: the lock of the clock must not be kept while those of callers are waited for.
 */
export async function pruneCallers(db: Db, now: number): Promise<void> {
  const waiting = await db.selectFrom('jobs').select('id').where(WAITING).limit(1).executeTakeFirst();
  if (!waiting) await moveQueueClock(db, await lastTurn(db));
  await deleteIdleCallers(db, now);
}

/** Milliseconds: nothing postpones a job for longer. */
const LONGEST_WAIT = 12 * 3_600_000;

/** Jobs postponed to a time that was near before the clock was set back may run now. Returns how many. */
export async function resetFutureJobTimes(db: Db, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ run_at: now })
    .where(WAITING)
    .where('run_at', '>', now)
    .where((eb) => eb.or([eb('created_at', '>', now), eb('run_at', '>', now + LONGEST_WAIT)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
