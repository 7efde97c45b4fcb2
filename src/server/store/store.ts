import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { HealthFinding } from '../../protocol/diagnosis.ts';
import { flushUsage } from './adapter-parts.ts';
import type { Db } from './db.ts';
import { KnownSchema } from './known-schema.ts';
import { MIGRATIONS, type Migration, migrate, newestSchema } from './migrate.ts';
import type { Notifier } from './notifier.ts';
import type { Tables } from './schema/tables.ts';
import { openSqliteFile, type SqliteOptions } from './sqlite.ts';
import { damageFinding } from './sqlite-damage.ts';

export interface StoreConnections {
  readonly busy: number;
  readonly idle: number;
  /** The most that there may be. */
  readonly most: number;
  /** Work that waits for a connection. */
  readonly waiting: number;
  /** Milliseconds for which there has always been some. */
  readonly waitingFor: number;
  /** Whether news of other nodes arrive. */
  readonly isListening: boolean;
}

export interface Store {
  readonly db: Db;
  /** Where processes cannot watch the store itself. */
  readonly notifier?: Notifier;
  /** Whether another process has written since the last call. */
  changedByOthers(): boolean;
  /** This process's connections to the store; undefined: it is a file. */
  connections?(): StoreConnections;
  /** What is to be said of the database besides its schema. */
  examine(): Promise<HealthFinding[]>;
  /** Bytes in use. */
  usedBytes(): number;
  /**
   * Whether the store's files were removed or replaced; once a look finds that, nothing is read or written any more.
   */
  isReplaced(): boolean;
  close(): Promise<void>;
}

export interface Schema {
  /** All migrations that the program knows; default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
}

/**
 * Opens the store in a data folder, and updates its schema.
 * @throws StoreTooNewError if a newer skinsmith wrote it; StoreTooOldError
 */
export async function openStore(
  dataDir: string,
  { migrations = MIGRATIONS, ...options }: SqliteOptions & Schema = {},
): Promise<Store> {
  const schema = new KnownSchema(newestSchema(migrations));
  const file = await openSqliteFile(join(dataDir, 'skinsmith.db'), { ...options, schema });
  const db = new Kysely<Tables>({ dialect: file.dialect });
  try {
    await migrate(db, migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const { changedByOthers, usedBytes, isReplaced } = file;
  const close = async () => {
    await flushUsage(db).catch(() => {}); // of little weight, if the store cannot be written
    await db.destroy();
  };
  const examine = async () => [await damageFinding(db)];
  return { db, examine, changedByOthers, usedBytes, isReplaced, close };
}
