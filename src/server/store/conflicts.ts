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
 * Whether the statement was prepared before its table got another column, as when a newer program joins: PostgreSQL
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
