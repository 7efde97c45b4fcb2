import { sql } from 'kysely';
import { systemClock } from '../../base/clock.ts';
import { type Db, insertNew, inTransaction, type StoreKind } from './db.ts';
import { isLockTimeout } from './failures.ts';
import { lockSchema } from './locks.ts';
import { StoreTooNewError } from './process-memory.ts';
import { createFirstSchema } from './schema/first-schema.ts';

/** Facts about the store as a whole. */
export type MetaKey =
  | 'schema'
  | 'public-url'
  | 'local-url'
  | 'address-key'
  | 'sign-in-key'
  | 'last-look'
  | 'revocations'
  /** The operators' secrets of the feed, hashed. */
  | 'operator-feeds'
  | 'signing-key'
  | 'account-key'
  /** What makes the skins of `serve`; absent: the service's own key. */
  | 'generator'
  /** Hours for which `serve` keeps finished jobs; absent: the default. */
  | 'retention'
  | 'oldest-reader'
  | 'copying-from';

export async function readMeta(db: Db, key: MetaKey): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

/** `keys`: one, or several that get the same value. */
export async function writeMeta(db: Db, keys: MetaKey | readonly MetaKey[], value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values([keys].flat().map((key) => ({ key, value })))
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Writes the value unless there is one. */
export async function keepMeta(db: Db, key: MetaKey, value: string): Promise<void> {
  await insertNew(db, 'meta', { key, value });
}

/** `value`: delete only this value. */
export async function deleteMeta(db: Db, key: MetaKey, value?: string): Promise<void> {
  const all = db.deleteFrom('meta').where('key', '=', key);
  await (value === undefined ? all : all.where('value', '=', value)).execute();
}

/** The store contains only part of the data that is being copied into it. */
export class StoreUnfinishedError extends Error {
  override readonly name = 'StoreUnfinishedError';
  readonly code = 'store_unfinished';
  readonly hint = 'Run the same skinsmith store copy again; it continues where it stopped.';
}

/** @throws StoreUnfinishedError */
export async function verifyWhole(db: Db): Promise<void> {
  if ((await readMeta(db, 'copying-from')) === undefined) return;
  throw new StoreUnfinishedError('The store contains only part of a copy.');
}

/** One step from a version of the schema to the next. */
export interface Migration {
  readonly apply: (db: Db) => Promise<void>;
  /**
   * Whether programs that know only the previous schema can continue: the step only adds things, so two versions work
   * side by side. A later step that does not expand removes what the older version uses.
   */
  readonly expands: boolean;
}

export interface KnownMigrations {
  /** All migrations that the program knows; default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
}

/** The steps from an empty store, in order: the schema's number is how many were taken. Never change a released one. */
export const MIGRATIONS: readonly Migration[] = [{ apply: createFirstSchema, expands: false }];

/** The schema that this version of the program writes. */
export const NEWEST_SCHEMA = MIGRATIONS.length;

/**
 * Creates or updates the schema, with one transaction per step, safely even if several processes start at once, and
 * while programs of the previous version are working.
 * @param known all migrations that the program knows
 * @throws StoreTooNewError
 */
export async function migrate(db: Db, known: readonly Migration[] = MIGRATIONS): Promise<void> {
  await createMeta(db);
  while ((await readVersion(db, known)) < known.length) await advance(db, known);
}

/** Creates the table that contains the schema's number, and so comes first. */
export async function createMeta(db: Db): Promise<void> {
  const { text } = db.store.columnTypes;
  await sql
    .raw(`create table if not exists meta (key ${text} primary key, value ${text} not null)`)
    .execute(db);
}

/**
 * Milliseconds that a step waits for a table: at first less than PostgreSQL's deadlock timeout, then more each time,
 * so that it succeeds on a busy machine.
 */
const PATIENCE = 300;
const MORE_PATIENCE = 100;
const MAX_PATIENCE = 3_000;
/** Milliseconds before another attempt, and the number of attempts. */
const PAUSE = 200;
const MAX_TRIES = 100;

/**
 * Takes the next step. It locks whole tables in its own order; on PostgreSQL, it yields to working programs, so that
 * none of them fails or waits for long.
 */
async function advance(db: Db, known: readonly Migration[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const patience = Math.min(MAX_PATIENCE, PATIENCE + (tries - 1) * MORE_PATIENCE);
      return await inTransaction(db, async (tx) => await takeNextStep(tx, known, patience));
    } catch (error) {
      if (tries === MAX_TRIES || !isLockTimeout(error)) throw error;
      await systemClock.sleep(PAUSE);
    }
  }
}

async function takeNextStep(tx: Db, known: readonly Migration[], patience: number): Promise<void> {
  await lockSchema(tx);
  await tx.store.limitLockWaits(tx, patience);
  const version = await readVersion(tx, known);
  const step = known[version];
  if (!step) return; // another process applied it while this one waited for the lock
  await step.apply(tx);
  if (step.expands) await keepMeta(tx, 'oldest-reader', String(version));
  await writeMeta(tx, step.expands ? ['schema'] : ['schema', 'oldest-reader'], String(version + 1));
}

const NAME_ANOTHER = {
  sqlite: 'choose another folder: SKINSMITH_DATA_DIR',
  postgres: 'name another database: --store or SKINSMITH_STORE',
} as const satisfies Record<StoreKind, string>;

/** The number of the store's schema; 0: it has none yet. @throws StoreTooNewError */
export async function readVersion(db: Db, known: readonly Migration[] = MIGRATIONS): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'schema').executeTakeFirst();
  const version = Number(row?.value ?? 0);
  if (version > known.length && (await oldestReader(db)) > known.length) {
    throw new StoreTooNewError(
      `The data was written by a newer skinsmith, or by a development version before 0.1.0 (schema ${version}; this version knows ${known.length}).`,
      `Install the newer version, or ${NAME_ANOTHER[db.store.kind]}`,
    );
  }
  return version;
}

/** The lowest schema that a program must know to use the store after the step. */
async function oldestReader(db: Db): Promise<number> {
  return Number((await readMeta(db, 'oldest-reader')) ?? Number.POSITIVE_INFINITY);
}
