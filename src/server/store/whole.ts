import type { Db } from './db.ts';
import { readMeta } from './meta.ts';

/** The store has only a part of what is being copied into it. */
export class StoreUnfinishedError extends Error {
  override readonly name = 'StoreUnfinishedError';
  readonly code = 'store_unfinished';
  readonly hint = 'Run the same skinsmith store copy again: it goes on where it was ended.';
}

/** @throws StoreUnfinishedError */
export async function verifyWhole(db: Db): Promise<void> {
  if ((await readMeta(db, 'copying-from')) === undefined) return;
  throw new StoreUnfinishedError('The store has only a part of what is copied into it.');
}
