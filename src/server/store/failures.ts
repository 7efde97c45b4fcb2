import { SQLITE, sqliteCode } from '../../base/sqlite.ts';

/** The database is unreachable or has ended the connection; a later attempt may succeed. */
export class StoreUnreachableError extends Error {
  override readonly name: string = 'StoreUnreachableError';
  readonly code: string = 'store_unreachable';
}

export function isUnreachable(error: unknown): error is StoreUnreachableError {
  return error instanceof StoreUnreachableError;
}

/**
 * The database or its tables have disappeared while the service runs: it was removed or is being replaced. Nothing
 * needs a restart after it has been restored.
 */
export class StoreGoneError extends StoreUnreachableError {
  override readonly name = 'StoreGoneError';
  override readonly code = 'store_replaced';

  constructor(cause: Error) {
    super(`The database of the store was removed or replaced: ${cause.message}. Restore it.`, { cause });
  }
}

/** SQLSTATEs of PostgreSQL after which the same transaction may succeed. SQLite has no such errors. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '23505', // another transaction has inserted the same key
  '23503', // another transaction has deleted what is referred to
]);

/** Whether the transaction failed because of another one that ran at the same time. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has((error as { code?: unknown }).code) || isOutdated(error);
}

/**
 * Whether the statement was prepared before its table got another column, as when a newer program joins. PostgreSQL
 * refuses to run it, because its rows would have that column.
 */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** Whether PostgreSQL has rolled the transaction back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown }).code === '40P01';
}

/** Whether a row or a table was locked for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}

const SQLITE_TROUBLE: Readonly<Record<number, string>> = {
  [SQLITE.busy]: "The service's store is busy; try again.",
  [SQLITE.readOnly]: "The service's store cannot be written.",
  [SQLITE.ioError]: "The service's store cannot be read or written.",
  [SQLITE.full]: "The service's disk is full.",
};

const OWN_TROUBLE: Readonly<Record<string, string>> = {
  store_replaced: "The service's store was removed or replaced.",
  store_too_new: "The service's store now belongs to a newer version; this one must be replaced.",
};

/** A sentence for callers if an error comes from a faulty store; see also `isUnreachable`. */
export function storeProblem(error: unknown): string | undefined {
  const sqlite = sqliteCode(error);
  const { code } = error as { code?: unknown };
  return Number.isNaN(sqlite) ? OWN_TROUBLE[String(code)] : SQLITE_TROUBLE[sqlite];
}

/** Whether an error comes from the store, so that another attempt may succeed once the store works again. */
export function isStoreFailure(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof Error && storeProblem(error) !== undefined);
}
