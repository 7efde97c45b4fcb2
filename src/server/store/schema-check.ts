import type { DatabaseSync } from 'node:sqlite';
import { importSqlite } from '../../base/node-sqlite.ts';
import { MIGRATIONS, migrate } from './migrate.ts';
import { FIRST_SCHEMA } from './schema/first-schema.ts';
import { sqliteDb } from './sqlite.ts';

/** The parts of a database (`table jobs`, `index jobs_by_owner`) with the statements that created them. */
type Schema = ReadonlyMap<string, string>;

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
    if (found.get(name) !== made) return `its ${name} is not as a store has it`;
  }
  const foreign = [...found.keys()].find((name) => !expected.has(name));
  return foreign && `it has a ${foreign} that no store has`;
}

async function schemaAt(version: number, besides: string): Promise<Schema> {
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(':memory:');
  const db = sqliteDb(database);
  try {
    await migrate(db, MIGRATIONS.slice(0, version - FIRST_SCHEMA));
    database.exec(besides);
    return schemaOf(database);
  } finally {
    await db.destroy();
  }
}

/** What SQLite creates itself (statistics, indices of keys) follows from the rest. */
function schemaOf(database: DatabaseSync): Schema {
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
