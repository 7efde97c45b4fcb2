import { sql } from 'kysely';
import { SQLITE, sqliteCode } from '../../base/sqlite-codes.ts';
import type { HealthFinding } from '../../protocol/diagnosis.ts';
import type { Db } from './db.ts';

/** SQLite's own check of a store. `isDamaged` is undefined if the check would take too long. */
export interface StoreLook {
  readonly bytes: number;
  readonly isDamaged: boolean | undefined;
}

/** Bytes. The check blocks all other requests: for about half a second at this size. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Checks whether the store's pages and rows are intact. */
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
    if (sqliteCode(error) === SQLITE.corrupt) return true;
    throw error;
  }
}

/** The same for the operator. */
export async function damageFinding(db: Db): Promise<HealthFinding> {
  const { bytes, isDamaged } = await lookForDamage(db);
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  if (isDamaged === undefined) {
    const message = `The store (${size}) is too large for an integrity check.`;
    return { code: 'store_large', result: 'ok', message };
  }
  if (isDamaged) return { code: 'store_damaged', result: 'problem', message: 'The store is damaged.' };
  const message = `The integrity check of the store (${size}) found no errors.`;
  return { code: 'store_sound', result: 'ok', message };
}
