import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { importSqlite } from '../../base/sqlite.ts';
import type { Db } from '../store/db.ts';
import { readMeta, verifyWhole } from '../store/meta.ts';
import { NEWEST_SCHEMA } from '../store/migrate.ts';
import { listNodes, NODE_TIMEOUT } from '../store/nodes.ts';
import type { PostgresSettings } from '../store/postgres/postgres-store.ts';
import { FIRST_SCHEMA } from '../store/schema/first-schema.ts';
import { openStore, sqliteDb } from '../store/sqlite.ts';
import { type OpenPlace, StoreCopyError } from './rows.ts';
/** The location of a store: a data folder or a PostgreSQL database. */
export type StorePlace = { readonly folder: string } | { readonly postgres: PostgresSettings };

/** The name of a store in messages, without users, passwords and parameters. */
export function nameOf(place: StorePlace): string {
  if ('folder' in place) return place.folder;
  const { host, pathname } = new URL(place.postgres.url);
  return `postgres://${host}${pathname}`;
}

/** Identifies the source of an unfinished copy without revealing it. */
export function fingerprintOf(place: StorePlace): string {
  const name = 'folder' in place ? realpathSync(place.folder) : nameOf(place);
  return createHash('sha256').update(name).digest('hex');
}

/**
 * All reads see the store at one moment. Its users neither wait nor delay the copy.
 * @throws StoreCopyError, StoreUnfinishedError
 */
export async function openSnapshot(place: StorePlace): Promise<OpenPlace> {
  const opened =
    'folder' in place ? await openFileSnapshot(place.folder) : await openDatabase(place.postgres);
  try {
    await verifyVersion(opened.db, place);
    await verifyWhole(opened.db);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openFileSnapshot(folder: string): Promise<OpenPlace> {
  const path = join(folder, 'skinsmith.db');
  if (!existsSync(path)) throw new StoreCopyError('no_data', `No service data in ${folder}.`);
  const { DatabaseSync } = await importSqlite();
  const db = sqliteDb(new DatabaseSync(path, { readOnly: true }));
  await sql`begin`.execute(db); // the first read decides the moment
  return { db, close: async () => await db.destroy() };
}

/** Loads the driver only for a database. */
async function openDatabase(settings: PostgresSettings): Promise<OpenPlace> {
  const { openDatabaseSnapshot } = await import('./database-places.ts');
  return await openDatabaseSnapshot(settings);
}

async function verifyVersion(db: Db, place: StorePlace): Promise<void> {
  const isThere = (await db.introspection.getTables()).some(({ name }) => name === 'meta');
  const schema = isThere ? await readMeta(db, 'schema') : undefined;
  if (schema === undefined) throw new StoreCopyError('no_data', `No service data in ${nameOf(place)}.`);
  if (Number(schema) === NEWEST_SCHEMA) return;
  if (Number(schema) < FIRST_SCHEMA)
    throw new StoreCopyError(
      'store_too_old',
      `The data in ${nameOf(place)} was written by a development version of skinsmith before 0.1.0 (schema ${schema}), which no release can read.`,
    );
  throw new StoreCopyError(
    'store_other_version',
    `The data in ${nameOf(place)} belongs to another version of skinsmith (schema ${schema}; this version has ${NEWEST_SCHEMA}).`,
    'Copy with the version that runs the service, or start the service once with this version.',
  );
}

/** Creates its tables if they are missing. @throws StoreCopyError if a server uses it */
export async function openTarget(place: StorePlace): Promise<OpenPlace> {
  if ('folder' in place) return await openStore(place.folder);
  const { openDatabaseTarget } = await import('./database-places.ts');
  const { db, close } = await openDatabaseTarget(place.postgres);
  const [node] = await listNodes(db, NODE_TIMEOUT);
  if (!node) return { db, close };
  await close();
  throw new StoreCopyError(
    'store_in_use',
    `A server is using ${nameOf(place)}: ${node.id}.`,
    'Stop all servers on that database and try again.',
  );
}
