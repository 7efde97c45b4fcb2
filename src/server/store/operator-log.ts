import type { Db } from './db.ts';
import type { OperatorLogRow } from './schema/tables.ts';

export async function appendToLog(db: Db, entry: Omit<OperatorLogRow, 'id'>): Promise<void> {
  await db.insertInto('operator_log').values(entry).execute();
}

/** Newest first. `after`: the last number of the previous page. */
export async function readLog(
  db: Db,
  { after, size }: { after?: number | undefined; size: number },
): Promise<OperatorLogRow[]> {
  const page = db.selectFrom('operator_log').selectAll().orderBy('id', 'desc').limit(size);
  return await (after === undefined ? page : page.where('id', '<', after)).execute();
}
