import { opensAt } from '../queue/limits.ts';
import { HOUR, MINUTE, spendOne } from '../queue/sliding-window.ts';
import type { Asking } from '../sources/source.ts';
import { recallCaller, rememberCaller } from '../store/callers.ts';
import { inTransaction } from '../store/store.ts';
import type { ServiceContext } from './context.ts';
import { overLimitRefusal } from './over-limit.ts';

/** Whether the caller may have another generation now. @throws Refusal `rate_limit` */
export async function requireRoom(
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  { caller, via }: Asking,
): Promise<void> {
  const now = clock.now();
  const memory = await recallCaller(db, caller.owner, now);
  if (opensAt(memory, caller.plan, { via, now }) <= now) return;
  throw overLimitRefusal({ kind: 'too_fast', memory }, { caller, via, now });
}

/** Counts something that costs what a generation does, and was no job in the queue. */
export async function spendGeneration(
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  { caller, via }: Asking,
): Promise<void> {
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    const memory = await recallCaller(tx, caller.owner, now);
    await rememberCaller(tx, {
      ...memory,
      minute: spendOne(memory.minute, MINUTE, now),
      hour: spendOne(memory.hour, HOUR, now),
      spentAt: now,
      ...(via !== 'queue' && { generatedAt: now }),
    });
  });
}
