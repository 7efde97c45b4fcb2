import type { Db } from '../store/db.ts';
import { WAITING } from '../store/schema/job-conditions.ts';

/** Milliseconds: nothing postpones a job for longer. */
const LONGEST_WAIT = 12 * 3_600_000;

/** Jobs postponed to a time that was near before the clock was set back may run now. Returns how many. */
export async function forgiveQueueClock(db: Db, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ run_at: now })
    .where(WAITING)
    .where('run_at', '>', now)
    .where((eb) => eb.or([eb('created_at', '>', now), eb('run_at', '>', now + LONGEST_WAIT)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
