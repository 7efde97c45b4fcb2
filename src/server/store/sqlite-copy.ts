import type { backup, DatabaseSync } from 'node:sqlite';
import { importSqlite } from '../../node-sqlite.ts';

/** Whole database files, where `sqlite.ts` is about what is in one. */

/** Pages copied at one time; in between the process does other things. */
const PAGES = 1_000;

/** Files that go into a copy beside its tables, by name. */
export type Enclosures = Readonly<Record<string, Uint8Array>>;

/**
 * Copies a database to `to`, an empty file, as it stands at one moment: whoever uses it meanwhile neither waits
 * nor shows in the copy. `enclosures` become a table of their own.
 * @throws what `onStep`, called between two parts, throws
 */
export async function copyDatabase(
  from: string,
  to: string,
  { enclosures, onStep }: { enclosures: Enclosures; onStep: () => void },
): Promise<void> {
  const { backup, DatabaseSync } = await importSqlite();
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await copyAsOfNow({ source, to, backup, onStep });
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to);
  try {
    copy.exec('pragma journal_mode = delete'); // one file, with nothing beside it
    enclose(copy, enclosures);
  } finally {
    copy.close();
  }
}

async function copyAsOfNow(work: {
  source: DatabaseSync;
  to: string;
  backup: typeof backup;
  onStep: () => void;
}): Promise<void> {
  const { source, to, backup, onStep } = work;
  // Held open, a reading transaction keeps others' writes out of the copy, which would begin anew with each.
  source.exec('begin');
  source.prepare('select count(*) from sqlite_schema').get();
  await backup(source, to, { rate: PAGES, progress: onStep });
  source.exec('commit');
}

function enclose(copy: DatabaseSync, enclosures: Enclosures): void {
  copy.exec('create table enclosures (name text primary key, content blob not null)');
  const insert = copy.prepare('insert into enclosures (name, content) values (?, ?)');
  for (const [name, content] of Object.entries(enclosures)) insert.run(name, content);
}

/** Takes the enclosures out of a copy, so that nothing of them stays in the file. */
export async function dropEnclosures(path: string): Promise<void> {
  const { DatabaseSync } = await importSqlite();
  const copy = new DatabaseSync(path);
  try {
    copy.exec('pragma secure_delete = on; drop table enclosures');
  } finally {
    copy.close();
  }
}

export interface CopyFound {
  /** `ok`, or what is wrong. */
  readonly integrity: string;
  readonly schema: number;
  readonly enclosures: Enclosures;
}

/** What is in a copy; undefined when it is a database but no copy of ours. @throws Error of node:sqlite */
export async function inspectCopy(path: string): Promise<CopyFound | undefined> {
  const { DatabaseSync } = await importSqlite();
  const copy = new DatabaseSync(path, { readOnly: true });
  try {
    const integrity = String(copy.prepare('pragma integrity_check(1)').get()?.['integrity_check']);
    if (!hasTables(copy, ['enclosures', 'meta'])) return undefined;
    const schema = copy.prepare("select value from meta where key = 'schema'").get()?.['value'];
    const rows = copy.prepare('select name, content from enclosures').all();
    const enclosures = Object.fromEntries(
      rows.map(({ name, content }) => [String(name), content as Uint8Array]),
    );
    return { integrity, schema: Number(schema), enclosures };
  } finally {
    copy.close();
  }
}

function hasTables(database: DatabaseSync, names: readonly string[]): boolean {
  const find = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  return names.every((name) => find.get(name) !== undefined);
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * Runs `work` while no other process can open the database, and with all of it in its one file. It is not run
 * when another has it open (`in_use`), nor when the file is too damaged for anybody to use.
 */
export async function withDatabaseAlone(
  path: string,
  work: () => Promise<void>,
): Promise<'done' | 'in_use' | 'unusable'> {
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Whoever has a database with a write-ahead log open keeps others from giving the log up.
    database.exec('pragma journal_mode = delete; pragma locking_mode = exclusive; begin exclusive');
    await work();
    return 'done';
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode === SQLITE_BUSY) return 'in_use';
    if (errcode === SQLITE_CORRUPT || errcode === SQLITE_NOTADB) return 'unusable';
    throw error;
  } finally {
    database.close();
  }
}
