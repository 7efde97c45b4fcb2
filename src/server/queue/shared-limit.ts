import { HOUR, roomAt, spendOne } from '../fairness/rate-limits.ts';
import { recallCaller, rememberCaller } from '../store/callers.ts';
import type { Db } from '../store/db.ts';

/** A limit shared by many callers. Counted in the store, so that all processes share the count. */
export interface SharedLimit {
  /** The name under which it is counted. */
  readonly owner: string;
  /** New generations in any hour. */
  readonly perHour: number;
}

/** When one more fits, in milliseconds since the epoch; `now` if it fits already. */
export async function sharedOpensAt(db: Db, { owner, perHour }: SharedLimit, now: number): Promise<number> {
  const { hour } = await recallCaller(db, owner, now);
  return roomAt(hour, HOUR, perHour, now);
}

/** Counts one more. Call in the transaction that adds the counted row. */
export async function spendShared(tx: Db, { owner }: SharedLimit, now: number): Promise<void> {
  const memory = await recallCaller(tx, owner, now);
  await rememberCaller(tx, { ...memory, hour: spendOne(memory.hour, HOUR, now), spentAt: now });
}
