/**
 * Writes a store of the newest schema with rows of every kind, as SQL for SQLite and for PostgreSQL: `npm run
 * frozen-store`. The README here says when.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { TokenCipher } from '../../../src/server/accounts/held-account.ts';
import { signingGenerator } from '../../../src/server/generators/own-key.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { MIGRATIONS, migrate, NEWEST_SCHEMA } from '../../../src/server/store/meta.ts';
import { forKysely, makePool, POOL_OPTIONS } from '../../../src/server/store/postgres/pool.ts';
import { migratePostgres, postgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { openSqliteFile, sqliteDb } from '../../../src/server/store/sqlite.ts';
import {
  type CopiedRow,
  countProcessing,
  NUMBERED,
  putRows,
  setNumbers,
  withColumns,
} from '../../../src/server/store-copy/rows.ts';
import { openSigningKey } from '../../../src/textures/signing-key.ts';
import { startPostgres } from '../postgres/server.ts';
import { dumpPostgres, dumpSqlite } from './dump.ts';
import { makeRows } from './make-rows.ts';
import { MOMENT } from './rows/moments.ts';
import type { Rows } from './rows/rows.ts';
import { FROZEN_URL, TOKENS } from './secrets.ts';
import { ALL_TABLES } from './tables.ts';

/** By how many the numbers of rows are ahead of the last row: it was not the last one ever. */
const REMOVED = 5;

const rows = await rowsForKeys(join(import.meta.dirname, 'keys'));
const folder = join(import.meta.dirname, `schema-${NEWEST_SCHEMA}`);
await mkdir(folder); // fails if it is there: a frozen store stays as it is
await writeFile(join(folder, 'sqlite.sql'), await makeSqlite());
await writeFile(join(folder, 'postgres.sql'), await makePostgres());

async function rowsForKeys(keys: string): Promise<Rows> {
  const key = await openSigningKey(join(keys, 'signing-key.pem'));
  let accountKey = '';
  const cipher = new TokenCipher(join(keys, 'account-key'), async (found) => {
    accountKey = found ?? '';
  });
  await cipher.seal('', ''); // from then on its fingerprint is known
  const generator = signingGenerator({
    ...{ key: async () => key, hasKey: () => true, isKeyChanged: async () => false },
    ...{ publicUrl: () => FROZEN_URL, clock: { ...systemClock, now: () => MOMENT } },
  });
  const seal = async (uuid: string) => await cipher.seal(uuid, TOKENS);
  return await makeRows(generator, { signingKey: key.id, accountKey, seal });
}

async function makeSqlite(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'skinsmith-frozen-'));
  try {
    const path = join(place, 'skinsmith.db');
    const db = sqliteDb(await openSqliteFile(path));
    await migrate(db);
    await fill(db);
    await db.destroy();
    return dumpSqlite(path);
  } finally {
    await rm(place, { recursive: true });
  }
}

async function makePostgres(): Promise<string> {
  const server = await startPostgres();
  const pool = forKysely(makePool(server.urlOf('postgres'), POOL_OPTIONS), POOL_OPTIONS);
  const statements: string[] = [];
  const connect: typeof pool.connect = async () => {
    const { query, release } = await pool.connect();
    const noting = async (text: string, values: readonly unknown[]) => {
      statements.push(text);
      return await query(text, values);
    };
    return { query: noting, release } as Awaited<ReturnType<typeof pool.connect>>;
  };
  const db = postgresDb({ ...pool, connect });
  try {
    await migratePostgres(db, MIGRATIONS);
    const schemaMade = new Set(
      statements.filter((statement) => /^\s*(?:create|alter|drop) /i.test(statement)),
    );
    await fill(db);
    return await dumpPostgres(db, [...schemaMade]);
  } finally {
    await db.destroy();
    await server.stop();
  }
}

async function fill(db: Db): Promise<void> {
  for (const table of await withColumns(db, ALL_TABLES))
    await putRows(db, table, rows[table.name] as unknown as CopiedRow[]);
  await countProcessing(db);
  const numbers = NUMBERED.map((name) => [name, rows[name].length + REMOVED] as const);
  await setNumbers(db, new Map(numbers));
}
