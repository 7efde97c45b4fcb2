import type { Clock } from '../../../base/clock.ts';
import type { LogEntry, OperatorAction } from '../../../protocol/moderation.ts';
import type { Db } from '../../store/db.ts';
import { appendToLog, readLog } from '../../store/moderation.ts';
import { type Caller, requireOperator, type UserCaller } from '../callers/caller.ts';

/** An operator's action and its subject. */
export interface OperatorLogInput {
  readonly operator: Pick<UserCaller, 'name'>;
  readonly action: OperatorAction;
  /** UUID of a skin, hash of an image, number of a report or name of a user. */
  readonly subject: string;
  readonly note?: string;
}

/** Logs an operator's action in the same transaction. */
export async function logAction(
  tx: Db,
  clock: Clock,
  { operator, action, subject, note = '' }: OperatorLogInput,
): Promise<void> {
  await appendToLog(tx, { at: clock.now(), operator: operator.name, action, subject, note });
}

/** The log of operators' actions, newest first. @throws Refusal for callers other than the operator */
export async function readOperatorLog(
  { db }: { readonly db: Db },
  caller: Caller,
  page: { readonly after?: number | undefined; readonly size: number },
): Promise<LogEntry[]> {
  requireOperator(caller);
  const entries = await readLog(db, page);
  return entries.map(({ id, at, ...entry }) => ({
    ...entry,
    id: String(id),
    at: new Date(at).toISOString(),
  }));
}
