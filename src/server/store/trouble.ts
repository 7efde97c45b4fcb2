import { isUnreachable } from './unreachable.ts';

const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_BUSY = 5;
const SQLITE_TROUBLE: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: "The service's store is busy; try again.",
  [SQLITE_READONLY]: "The service's store cannot be written.",
  [SQLITE_IOERR]: "The service's store cannot be read or written.",
  [SQLITE_FULL]: "The service's disk is full.",
};

const OWN_TROUBLE: Readonly<Record<string, string>> = {
  store_replaced: "The service's store was removed or replaced.",
  store_too_new: "The service's store belongs to a newer version of it now; this one has to be replaced.",
};

/** What is wrong with the store, in a sentence for callers, if that is why something failed; but see `isUnreachable`. */
export function storeTrouble(error: unknown): string | undefined {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return typeof errcode === 'number' ? SQLITE_TROUBLE[errcode & 0xff] : OWN_TROUBLE[String(code)];
}

/** Whether something failed because of the store, and may succeed once the store is well again. */
export function isStoreTrouble(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof Error && storeTrouble(error) !== undefined);
}
