import { HOUR, MINUTE, spendOne } from '../../fairness/rate-limits.ts';
import { opensAt, sharedOpensAt, spendShared } from '../../queue/enqueue.ts';
import type { OverLimit } from '../../queue/port.ts';
import { recallCaller, rememberCaller } from '../../store/callers.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockOwner } from '../../store/locks.ts';
import type { ForecastContext } from '../forecast/expected-end.ts';
import { overLimitRefusal } from './over-limit.ts';
import type { LimitedRequest } from './rate-limit.ts';

export interface SpendingContext extends ForecastContext {
  readonly db: Db;
}

/** Checks whether the caller may have another generation now. @throws Refusal `rate_limit` */
export async function requireRoom(context: SpendingContext, { caller, via }: LimitedRequest): Promise<void> {
  const now = context.clock.now();
  const { owner, plan } = caller;
  const memory = await recallCaller(context.db, owner, now);
  if (opensAt(memory, plan, { via, now }) > now) {
    throw await overLimitRefusal(context, { kind: 'too_fast', memory }, { caller, via });
  }
  const sharedAt = plan.together ? await sharedOpensAt(context.db, plan.together, now) : now;
  if (sharedAt <= now) return;
  throw await overLimitRefusal(context, { kind: 'crowded', opensAt: sharedAt, memory }, { caller, via });
}

/**
 * Charges the caller the cost of a generation for something that was not a job in the queue. Checks the limit in the
 * same step, because other requests of the caller may have used it up in the meantime. @throws Refusal `rate_limit`
 */
export async function spendGeneration(
  context: SpendingContext,
  { caller, via }: LimitedRequest,
): Promise<void> {
  const { db, clock } = context;
  const now = clock.now();
  const { owner, plan } = caller;
  const over = await inTransaction(db, async (tx): Promise<OverLimit | undefined> => {
    await lockOwner(tx, owner);
    if (plan.together) await lockOwner(tx, plan.together.owner);
    const memory = await recallCaller(tx, owner, now);
    if (opensAt(memory, plan, { via, now }) > now) return { kind: 'too_fast', memory };
    const sharedAt = plan.together ? await sharedOpensAt(tx, plan.together, now) : now;
    if (sharedAt > now) return { kind: 'crowded', opensAt: sharedAt, memory };
    if (plan.together) await spendShared(tx, plan.together, now);
    await rememberCaller(tx, {
      ...memory,
      minute: spendOne(memory.minute, MINUTE, now),
      hour: spendOne(memory.hour, HOUR, now),
      spentAt: now,
      ...(via === 'v1' && { generatedAt: now }),
    });
    return undefined;
  });
  if (over) throw await overLimitRefusal(context, over, { caller, via });
}
