import { readdirSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const FOLDER = import.meta.dirname;

/** The schemas of which there is a frozen store, the oldest first. */
export const FROZEN_SCHEMAS: readonly number[] = readdirSync(FOLDER)
  .flatMap((name) => /^schema-(\d+)$/.exec(name)?.[1] ?? [])
  .map(Number)
  .toSorted((a, b) => a - b);

export const NEWEST_FROZEN = FROZEN_SCHEMAS.at(-1) ?? 0;

async function readDump(schema: number, file: 'sqlite.sql' | 'postgres.sql'): Promise<string> {
  return await readFile(join(FOLDER, `schema-${schema}`, file), 'utf8');
}

/** Puts the frozen store of this schema into a data folder. */
export async function thawFile(schema: number, dataDir: string): Promise<void> {
  const path = join(dataDir, 'skinsmith.db');
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(await readDump(schema, 'sqlite.sql'));
  database.close();
}

/** Puts the frozen store of this schema into a database without tables. */
export async function thawDatabase(schema: number, url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(await readDump(schema, 'postgres.sql'));
  await client.end();
}

/** Puts the keys into a data folder that the frozen stores were made with. */
export async function giveFrozenKeys(dataDir: string): Promise<void> {
  for (const name of ['signing-key.pem', 'account-key'])
    await copyFile(join(FOLDER, 'keys', name), join(dataDir, name));
}
