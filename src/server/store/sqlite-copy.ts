import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { importSqlite, isDamagedDatabase, isSqliteBusy } from '../../base/sqlite.ts';
import { MIGRATIONS, migrate, NEWEST_SCHEMA } from './meta.ts';
import { sqliteDb } from './sqlite.ts';

/** The parts of a database (`table jobs`, `index jobs_by_owner`) with the statements that created them. */
type SchemaParts = ReadonlyMap<string, string>;

/**
 * How the schema of a database differs from that of a store of this version; undefined if it does not.
 * @param besides statements that created additional, permitted parts
 */
export async function findSchemaFault(
  database: DatabaseSync,
  { version, besides }: { version: number; besides: string },
): Promise<string | undefined> {
  const [found, expected] = [schemaOf(database), await schemaAt(version, besides)];
  for (const [name, made] of expected) {
    if (!found.has(name)) return `its ${name} is missing`;
    if (found.get(name) !== made) return `its ${name} differs from that of a store`;
  }
  const foreign = [...found.keys()].find((name) => !expected.has(name));
  return foreign && `it has an unknown ${foreign}`;
}

async function schemaAt(version: number, besides: string): Promise<SchemaParts> {
  return await withDatabase(':memory:', {}, async (database) => {
    await migrate(sqliteDb(database), MIGRATIONS.slice(0, version));
    database.exec(besides);
    return schemaOf(database);
  });
}

async function withDatabase<T>(
  path: string,
  options: DatabaseSyncOptions,
  work: (database: DatabaseSync) => T | Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(path, options);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Leaves out what SQLite creates itself (statistics, indices of keys). */
function schemaOf(database: DatabaseSync): SchemaParts {
  const rows = database
    .prepare("select type, name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\'")
    .all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, normalized(String(sql))]));
}

/** Quoting and spacing vary with the version of the tools that write them. */
function normalized(sql: string): string {
  return sql
    .replaceAll(/["`\s]+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
    .trim()
    .toLowerCase();
}

/** Handles whole database files; `sqlite.ts` handles their contents. */

/** Pages to copy at a time. In between, the process can do other work. */
const PAGES = 1_000;

const MAKE_ATTACHED_FILES = 'create table attached_files (name text primary key, content blob not null)';

/** Files included in a copy besides its tables, by name. */
export type AttachedFiles = Readonly<Record<string, Uint8Array>>;

/**
 * Copies a database to `to`, an empty file, in its state at one moment: other users of the database neither wait nor
 * affect the copy. `attached` files are stored in a table of their own.
 * @throws whatever `onStep`, which is called between parts, throws
 */
export async function copyDatabase(
  from: string,
  to: string,
  { attached, onStep }: { attached: AttachedFiles; onStep: () => void },
): Promise<void> {
  const { backup } = await importSqlite();
  await withDatabase(from, { readOnly: true }, async (source) => {
    // An open read transaction excludes the writes of others, with each of which the copy would otherwise restart.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await backup(source, to, { rate: PAGES, progress: onStep });
    source.exec('commit');
  });
  await withDatabase(to, {}, (copy) => {
    copy.exec('pragma journal_mode = delete'); // one file without others beside it
    attach(copy, attached);
  });
}

function attach(copy: DatabaseSync, attached: AttachedFiles): void {
  copy.exec(MAKE_ATTACHED_FILES);
  const insert = copy.prepare('insert into attached_files (name, content) values (?, ?)');
  for (const [name, content] of Object.entries(attached)) insert.run(name, content);
}

/** Removes the attached files from a copy without leaving traces in the file. */
export async function dropAttachedFiles(path: string): Promise<void> {
  await withDatabase(path, {}, (copy) => copy.exec('pragma secure_delete = on; drop table attached_files'));
}

export interface CopyFound {
  /** What is wrong with the copy; undefined if nothing is. */
  readonly fault: string | undefined;
  /** Undefined if the copy does not state it. */
  readonly schema: number | undefined;
  /** Empty if the copy has a fault. */
  readonly attached: AttachedFiles;
}

/**
 * Inspects a copy; undefined if it is a database but not a copy of a store. Reads nothing from it before checking that
 * it has the tables of a store and nothing else: a view or a trigger could run any statement.
 * @throws Error of node:sqlite
 */
export async function inspectCopy(path: string): Promise<CopyFound | undefined> {
  return await withDatabase(path, { readOnly: true }, async (copy) => {
    copy.exec('pragma trusted_schema = off');
    const integrity = String(copy.prepare('pragma integrity_check(1)').get()?.['integrity_check']);
    if (!hasTables(copy, ['attached_files', 'meta'])) return undefined;
    const schema = readSchema(copy);
    if (schema !== undefined && !isKnown(schema)) return { fault: undefined, schema, attached: {} };
    const fault = integrity === 'ok' ? await findFault(copy, schema) : integrity;
    if (fault !== undefined) return { fault, schema, attached: {} };
    const rows = copy.prepare('select name, content from attached_files').all();
    const files = rows.map(({ name, content }) => [String(name), content as Uint8Array]);
    return { fault, schema, attached: Object.fromEntries(files) as AttachedFiles };
  });
}

function isKnown(schema: number): boolean {
  return schema > 0 && schema <= NEWEST_SCHEMA;
}

function readSchema(copy: DatabaseSync): number | undefined {
  const text = String(copy.prepare("select value from meta where key = 'schema'").get()?.['value']);
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

async function findFault(copy: DatabaseSync, schema: number | undefined): Promise<string | undefined> {
  if (schema === undefined) return 'it does not state its schema';
  return await findSchemaFault(copy, { version: schema, besides: MAKE_ATTACHED_FILES });
}

function hasTables(database: DatabaseSync, names: readonly string[]): boolean {
  const find = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  return names.every((name) => find.get(name) !== undefined);
}

/** The keys that the store of a copy needs. */
export interface KeysOfStore {
  /** The ID of the key that signs its skins; undefined: none yet. */
  readonly signingKey: string | undefined;
  /** Whether it has linked game accounts, whose tokens are encrypted with another key. */
  readonly hasAccounts: boolean;
}

export async function readKeysOfStore(path: string): Promise<KeysOfStore> {
  return await withDatabase(path, { readOnly: true }, (copy) => {
    const signingKey = copy.prepare("select value from meta where key = 'signing-key'").get()?.['value'];
    const hasAccounts =
      hasTables(copy, ['game_accounts']) &&
      copy.prepare('select 1 from game_accounts limit 1').get() !== undefined;
    return { signingKey: signingKey === undefined ? undefined : String(signingKey), hasAccounts };
  });
}

/**
 * Runs `work` while no other process can open the database, with all its data in a single file. Does not run it if
 * another process has the database open (`in_use`), or if the file is too damaged to use.
 */
export async function withDatabaseAlone(
  path: string,
  work: () => Promise<void>,
): Promise<'done' | 'in_use' | 'unusable'> {
  try {
    await withDatabase(path, { timeout: 0 }, async (database) => {
      // A process that has a database with a write-ahead log open prevents others from removing the log.
      database.exec('pragma journal_mode = delete; pragma locking_mode = exclusive; begin exclusive');
      await work();
    });
    return 'done';
  } catch (error) {
    if (isSqliteBusy(error)) return 'in_use';
    if (isDamagedDatabase(error)) return 'unusable';
    throw error;
  }
}
