import { forgetCallers, lastTurn, moveQueueClock } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { WAITING } from '../store/schema/job-conditions.ts';

/**
 * Deletes callers without any remaining state. While no job waits, no owner is ahead of another: the clock then
 * advances to the last turn given, since otherwise callers with a single job would be kept for ever.
 */
export async function pruneCallers(tx: Db, now: number): Promise<void> {
  const waiting = await tx.selectFrom('jobs').select('id').where(WAITING).limit(1).executeTakeFirst();
  if (!waiting) await moveQueueClock(tx, await lastTurn(tx));
  await forgetCallers(tx, now);
}
