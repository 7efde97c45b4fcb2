import type { Db } from '../store/db.ts';

/** A store that is open for a copy. */
export interface OpenPlace {
  readonly db: Db;
  close(): Promise<void>;
}
