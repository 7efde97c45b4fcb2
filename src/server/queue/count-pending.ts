import type { Db } from '../store/db.ts';
import { PROCESSING, WAITING } from '../store/schema/job-conditions.ts';

export interface PendingCounts {
  readonly waiting: number;
  readonly processing: number;
}

/** The number of unfinished jobs of all owners. Two statements, because each has its own index. */
export async function countPending(db: Db): Promise<PendingCounts> {
  const jobs = db.selectFrom('jobs').select((eb) => eb.fn.countAll<number>().as('n'));
  const waiting = await jobs.where(WAITING).executeTakeFirstOrThrow();
  const processing = await jobs.where(PROCESSING).executeTakeFirstOrThrow();
  return { waiting: Number(waiting.n), processing: Number(processing.n) };
}
