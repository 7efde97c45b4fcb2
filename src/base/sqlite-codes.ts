/** SQLite's primary result codes that we distinguish (https://www.sqlite.org/rescode.html). */
export const SQLITE = {
  error: 1,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
} as const;

/** SQLite's primary result code in an error of node:sqlite; NaN for other errors. */
export function sqliteCode(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : Number.NaN;
}

/** Whether another process keeps the database locked. */
export function isSqliteBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE.busy;
}

/** Whether the file is damaged, or not a database at all. */
export function isDamagedDatabase(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.corrupt || code === SQLITE.notADatabase;
}
