import type { Db } from './db.ts';
import type { DeferredUsage } from './deferred-usage.ts';
import type { KeyOwnerCache } from './key-owner-cache.ts';
import type { KnownSchema } from './known-schema.ts';

/** What a dialect's adapter keeps in memory for its store. */
export interface AdapterParts {
  readonly keyOwners: KeyOwnerCache;
  readonly usage: DeferredUsage;
  readonly schema: KnownSchema;
}

export function partsOf(db: Db): AdapterParts {
  return db.getExecutor().adapter as unknown as AdapterParts;
}

/** Call after each change of an API key or of a user. */
export function forgetKeyOwners(db: Db): void {
  partsOf(db).keyOwners.forget();
}

/** Writes the usage that is only noted so far. */
export async function flushUsage(db: Db): Promise<void> {
  await partsOf(db).usage.flush(db);
}
