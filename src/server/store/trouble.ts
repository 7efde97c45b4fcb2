import { SQLITE, sqliteCode } from '../../base/sqlite-codes.ts';
import { isUnreachable } from './unreachable.ts';

const SQLITE_TROUBLE: Readonly<Record<number, string>> = {
  [SQLITE.busy]: "The service's store is busy; try again.",
  [SQLITE.readOnly]: "The service's store cannot be written.",
  [SQLITE.ioError]: "The service's store cannot be read or written.",
  [SQLITE.full]: "The service's disk is full.",
};

const OWN_TROUBLE: Readonly<Record<string, string>> = {
  store_replaced: "The service's store was removed or replaced.",
  store_too_new: "The service's store belongs to a newer version of it now; this one has to be replaced.",
};

/** What is wrong with the store, in a sentence for callers, if that is why something failed; but see `isUnreachable`. */
export function storeTrouble(error: unknown): string | undefined {
  const sqlite = sqliteCode(error);
  const { code } = error as { code?: unknown };
  return Number.isNaN(sqlite) ? OWN_TROUBLE[String(code)] : SQLITE_TROUBLE[sqlite];
}

/** Whether something failed because of the store, and may succeed once the store is well again. */
export function isStoreTrouble(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof Error && storeTrouble(error) !== undefined);
}
