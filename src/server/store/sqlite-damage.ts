import { sql } from 'kysely';
import type { Db } from './store.ts';

/** SQLite's own look through a store. `isDamaged` is undefined where that would take too long. */
export interface StoreLook {
  readonly bytes: number;
  readonly isDamaged: boolean | undefined;
}

/** Nothing else is answered while a store is looked through: about half a second for as many bytes. */
const MOST_BYTES = 128 * 1024 * 1024;
const SQLITE_CORRUPT = 11;

/** Whether the store's pages and rows are as they should be. */
export async function lookForDamage(db: Db, mostBytes = MOST_BYTES): Promise<StoreLook> {
  const bytes = (await pragma(db, 'page_count')) * (await pragma(db, 'page_size'));
  return { bytes, isDamaged: bytes > mostBytes ? undefined : await isDamaged(db) };
}

async function pragma(db: Db, name: 'page_count' | 'page_size'): Promise<number> {
  const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(db);
  return rows[0]?.[name] ?? 0;
}

async function isDamaged(db: Db): Promise<boolean> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    return rows[0]?.quick_check !== 'ok';
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_CORRUPT) return true;
    throw error;
  }
}
