import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { importSqlite } from '../../base/sqlite.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { deleteMeta, NEWEST_SCHEMA, readMeta, verifyWhole, writeMeta } from '../store/meta.ts';
import { listNodes, NODE_TIMEOUT } from '../store/nodes.ts';
import type { PostgresSettings } from '../store/postgres/postgres-store.ts';
import { openStore, sqliteDb } from '../store/sqlite.ts';
import {
  COPIED,
  type CopiedRow,
  countProcessing,
  countRows,
  deleteRows,
  keyOf,
  type OpenPlace,
  putRows,
  type ReadTable,
  ROWS_AT_ONCE,
  readNumbers,
  readRows,
  StoreCopyError,
  setNumbers,
  surplus,
  textOf,
  withColumns,
} from './rows.ts';

/** The location of a store: a data folder or a PostgreSQL database. */
export type StorePlace = { readonly folder: string } | { readonly postgres: PostgresSettings };

/** The name of a store in messages, without users, passwords and parameters. */
export function storeName(place: StorePlace): string {
  if ('folder' in place) return place.folder;
  const { host, pathname } = new URL(place.postgres.url);
  return `postgres://${host}${pathname}`;
}

/** Identifies the source of an unfinished copy without revealing it. */
export function storeFingerprint(place: StorePlace): string {
  const name = 'folder' in place ? realpathSync(place.folder) : storeName(place);
  return createHash('sha256').update(name).digest('hex');
}

/**
 * All reads see the store at one moment. Its users neither wait nor delay the copy.
 * @throws StoreCopyError, StoreUnfinishedError
 */
export async function openSnapshot(place: StorePlace): Promise<OpenPlace> {
  const opened =
    'folder' in place
      ? await openFileSnapshot(place.folder)
      : await (await importPostgres()).openDatabaseSnapshot(place.postgres);
  try {
    await verifyVersion(opened.db, place);
    await verifyWhole(opened.db);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The driver is loaded only for a database. */
const importPostgres = async () => await import('../store/postgres/postgres-store.ts');

async function openFileSnapshot(folder: string): Promise<OpenPlace> {
  const path = join(folder, 'skinsmith.db');
  if (!existsSync(path)) throw new StoreCopyError('no_data', `No service data in ${folder}.`);
  const { DatabaseSync } = await importSqlite();
  const db = sqliteDb(new DatabaseSync(path, { readOnly: true }));
  await sql`begin`.execute(db); // the first read decides the moment
  return { db, close: async () => await db.destroy() };
}

async function verifyVersion(db: Db, place: StorePlace): Promise<void> {
  const isThere = (await db.introspection.getTables()).some(({ name }) => name === 'meta');
  const schema = isThere ? await readMeta(db, 'schema') : undefined;
  if (schema === undefined) throw new StoreCopyError('no_data', `No service data in ${storeName(place)}.`);
  if (Number(schema) === NEWEST_SCHEMA) return;
  throw new StoreCopyError(
    'store_other_version',
    `The data in ${storeName(place)} belongs to another version of skinsmith (schema ${schema}; this version has ${NEWEST_SCHEMA}).`,
    'Copy with the version that runs the service, or start the service once with this version.',
  );
}

/** Creates its tables if they are missing. @throws StoreCopyError if a server uses it */
export async function openTarget(place: StorePlace): Promise<OpenPlace> {
  if ('folder' in place) return await openStore(place.folder);
  const { db, close } = await (await importPostgres()).openDatabaseTarget(place.postgres);
  const [node] = await listNodes(db, NODE_TIMEOUT);
  if (!node) return { db, close };
  await close();
  throw new StoreCopyError(
    'store_in_use',
    `A server is using ${storeName(place)}: ${node.id}.`,
    'Stop all servers on that database and try again.',
  );
}

export interface CopyProgress {
  readonly step: 'copying' | 'comparing';
  readonly table: string;
  /** Rows of all tables, so far and in total. */
  readonly done: number;
  readonly rows: number;
}

export interface CopyOptions {
  readonly from: StorePlace;
  readonly to: StorePlace;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** A table that is equal in both stores. */
export interface CopiedRows {
  readonly table: string;
  readonly rows: number;
  /** Digest of all rows in key order. */
  readonly sha256: string;
}

export interface StoreCopy {
  readonly tables: readonly CopiedRows[];
  /** Whether it continued an unfinished copy. */
  readonly isResumed: boolean;
}

/**
 * Copies everything from one store to another, in its state at one moment, and compares both row by row. After an
 * interruption, another call continues: it compares existing rows and does not write them again.
 * @throws StoreCopyError; the signal's reason when aborted
 */
export async function copyStore(options: CopyOptions): Promise<StoreCopy> {
  const source = await openSnapshot(options.from);
  try {
    const target = await openTarget(options.to);
    try {
      return await copyAll(source.db, target.db, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyAll(source: Db, target: Db, options: CopyOptions): Promise<StoreCopy> {
  const tables = await withColumns(source, COPIED);
  const isResumed = await begin(target, options);
  const work = await Work.plan({ source, target, tables, ...options });
  if (isResumed) await work.deleteSurplus();
  const copied = await work.copy();
  await inTransaction(target, async (tx) => {
    await countProcessing(tx);
    await setNumbers(tx, await readNumbers(source));
  });
  await work.compare(copied);
  await deleteMeta(target, 'copying-from');
  return { tables: copied, isResumed };
}

/** Claims the target for this copy. Returns whether it has part of it. */
async function begin(target: Db, { from, to }: CopyOptions): Promise<boolean> {
  const fingerprint = storeFingerprint(from);
  const unfinished = await readMeta(target, 'copying-from');
  if (unfinished === fingerprint) return true;
  const filled = await findRows(target);
  if (unfinished !== undefined || filled !== undefined) {
    const reason = unfinished === undefined ? `it has ${filled}` : 'it has part of another store';
    throw new StoreCopyError(
      'store_not_empty',
      `${storeName(to)} is not empty: ${reason}. Nothing was copied.`,
      'Copy into a new data folder or a new database.',
    );
  }
  await writeMeta(target, 'copying-from', fingerprint);
  return false;
}

/** A table with rows; every store has a row of the queue's clock. */
async function findRows(target: Db): Promise<string | undefined> {
  for (const table of COPIED) {
    const rows = table.name === 'queue_clock' ? 0 : await countRows(target, table);
    if (rows > 0) return `${rows} rows in the table ${table.name}`;
  }
  return undefined;
}

interface CopyPlan extends CopyOptions {
  readonly source: Db;
  readonly target: Db;
  readonly tables: readonly ReadTable[];
}

class Work {
  readonly #plan: CopyPlan;
  readonly #rows: number;
  #done = 0;

  private constructor(plan: CopyPlan, rows: number) {
    this.#plan = plan;
    this.#rows = rows;
  }

  static async plan(plan: CopyPlan): Promise<Work> {
    let rows = 0;
    for (const table of plan.tables) rows += await countRows(plan.source, table);
    return new Work(plan, rows);
  }

  /** Deletes rows that the source no longer has, starting with those that refer to others. */
  async deleteSurplus(): Promise<void> {
    const { source, target } = this.#plan;
    for (const table of this.#plan.tables.toReversed()) {
      for await (const { rows, after, upTo } of this.#parts(table, source)) {
        const there = await readRows(target, table, { after, upTo });
        await deleteRows(target, table, surplus(table, rows, there));
      }
    }
  }

  async copy(): Promise<CopiedRows[]> {
    const { source, target } = this.#plan;
    this.#done = 0;
    const copied: CopiedRows[] = [];
    for (const table of this.#plan.tables) {
      const digest = new TableDigest(table);
      for await (const { rows, after, upTo } of this.#parts(table, source)) {
        digest.add(rows);
        const there = new Set(
          (await readRows(target, table, { after, upTo })).map((row) => textOf(table, row)),
        );
        const others = rows.filter((row) => !there.has(textOf(table, row)));
        await inTransaction(target, async (tx) => await putRows(tx, table, others));
        this.#tell('copying', table, rows.length);
      }
      copied.push(digest.end());
    }
    return copied;
  }

  /** @throws StoreCopyError if the target has other rows */
  async compare(copied: readonly CopiedRows[]): Promise<void> {
    this.#done = 0;
    for (const [n, table] of this.#plan.tables.entries()) {
      const digest = new TableDigest(table);
      for await (const { rows } of this.#parts(table, this.#plan.target)) {
        digest.add(rows);
        this.#tell('comparing', table, rows.length);
      }
      const found = digest.end();
      if (found.sha256 !== copied[n]?.sha256) throw differing(table.name, found.rows, copied[n]?.rows);
    }
  }

  /** All rows of a table in key order, in parts without gaps. */
  async *#parts(table: ReadTable, db: Db): AsyncGenerator<Part> {
    let after: Part['after'];
    for (;;) {
      this.#plan.signal.throwIfAborted();
      const rows = await readRows(db, table, { after, most: ROWS_AT_ONCE });
      const last = rows.at(-1);
      const upTo = rows.length === ROWS_AT_ONCE && last ? keyOf(table, last) : undefined;
      yield { rows, after, upTo };
      if (upTo === undefined) return;
      after = upTo;
    }
  }

  #tell(step: CopyProgress['step'], { name }: ReadTable, rows: number): void {
    this.#done += rows;
    this.#plan.onProgress({ step, table: name, done: this.#done, rows: this.#rows });
  }
}

interface Part {
  readonly rows: readonly CopiedRow[];
  readonly after: readonly (string | number | Uint8Array | null)[] | undefined;
  readonly upTo: Part['after'];
}

/** Computes a digest of a table's rows. */
class TableDigest {
  readonly #table: ReadTable;
  readonly #hash = createHash('sha256');
  #rows = 0;

  constructor(table: ReadTable) {
    this.#table = table;
  }

  add(rows: readonly CopiedRow[]): void {
    for (const row of rows) this.#hash.update(`${textOf(this.#table, row)}\n`);
    this.#rows += rows.length;
  }

  end(): CopiedRows {
    return { table: this.#table.name, rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}

function differing(table: string, found: number, expected = 0): StoreCopyError {
  return new StoreCopyError(
    'copy_differs',
    `The copy differs: the table ${table} has ${found} rows, ${expected} were read, and not all of them are equal.`,
    'Another program writes to the copy. Stop it and run the same command again.',
  );
}
