/** SQLSTATEs of PostgreSQL after which the same transaction may succeed. SQLite has no such errors. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '23505', // another transaction has inserted the same key
  '23503', // another transaction has deleted what is referred to
]);

/** Whether a transaction of another writer, at the same time, was in the way of this one. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has((error as { code?: unknown }).code);
}

/** Whether a row was locked for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}
