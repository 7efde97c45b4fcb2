import type { Clock } from '../../base/clock.ts';
import type { Db } from '../store/db.ts';
import { FINISHED } from '../store/schema/job-conditions.ts';

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
