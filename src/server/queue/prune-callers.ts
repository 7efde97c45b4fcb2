import { forgetCallers, lastTurn, moveQueueClock } from '../store/callers.ts';
import type { Db } from '../store/store.ts';
import { WAITING } from './conditions.ts';

/**
 * Forgets callers with nothing left to remember. While nobody waits, nobody is ahead of anybody either: the
 * clock goes on to the last turn given, or callers with a single job each would be remembered for ever.
 */
export async function pruneCallers(tx: Db, now: number): Promise<void> {
  const waiting = await tx.selectFrom('jobs').select('id').where(WAITING).limit(1).executeTakeFirst();
  if (!waiting) await moveQueueClock(tx, await lastTurn(tx));
  await forgetCallers(tx, now);
}
