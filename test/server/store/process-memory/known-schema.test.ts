import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NEWEST_SCHEMA } from '../../../../src/server/store/meta.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { KnownSchema, OLDEST_READER, StoreTooNewError } from '../../../../src/server/store/process-memory.ts';
import { emptyDatabase } from '../../../support/postgres/own-database.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

test('A program may use a store that asks for no newer schema than it knows', () => {
  const schema = new KnownSchema(24);
  for (const oldest of ['19', '24', null, undefined]) schema.learn(oldest);
  schema.verify();
  expect(schema.fault).toBeUndefined();
});

test('A program may no longer use a store that became too new, even if the requirement is taken back', () => {
  const schema = new KnownSchema(24);
  for (const oldest of ['25', '24', null]) schema.learn(oldest);
  expect(() => schema.verify()).toThrow(StoreTooNewError);
  expect(schema.fault?.message).toContain('needs schema 25, and this version knows 24');
});

async function readOldest(db: Awaited<ReturnType<typeof openPostgresDb>>): Promise<(string | null)[]> {
  const read = async () =>
    (await sql<{ oldest: string | null }>`select ${sql.raw(OLDEST_READER)} as oldest`.execute(db)).rows[0]
      ?.oldest ?? null;
  const [noted] = [await read()];
  await sql`delete from meta where key = 'oldest-reader'`.execute(db);
  const [unnoted] = [await read()];
  await sql`delete from meta where key = 'schema'`.execute(db);
  return [noted, unnoted, await read()];
}

/** Where it is not noted, a program must know the schema itself. */
const ANSWERS = ['1', String(NEWEST_SCHEMA), null];

test('SQLite computes which schema a program must know', async () => {
  const { db } = await openOwnStore(await ownFolder());
  expect(await readOldest(db)).toEqual(ANSWERS);
});

describe('With PostgreSQL', () => {
  test('The same expression computes which schema a program must know', async () => {
    const db = await openPostgresDb(await emptyDatabase());
    onTestFinished(async () => await db.destroy());
    expect(await readOldest(db)).toEqual(ANSWERS);
  });
});
