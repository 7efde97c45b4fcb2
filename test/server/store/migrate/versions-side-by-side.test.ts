import { describe, expect, onTestFinished, test } from 'vitest';
import { readMeta, writeMeta } from '../../../../src/server/store/meta.ts';
import { NEWEST_SCHEMA } from '../../../../src/server/store/migrate.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { HAS_POSTGRES, ownDatabase } from '../../../support/postgres/own-database.ts';

describe.runIf(HAS_POSTGRES)('With PostgreSQL', () => {
  async function open(url: string) {
    const db = await openPostgresDb(url);
    onTestFinished(async () => await db.destroy());
    return db;
  }

  test('A store says which oldest program may use it: the last change leaves room for the one before', async () => {
    const db = await open(await ownDatabase());
    expect(Number(await readMeta(db, 'oldest-reader'))).toBeLessThan(NEWEST_SCHEMA);
  });

  test('A program goes on with a store that a newer one has changed, as long as that leaves it room', async () => {
    const url = await ownDatabase();
    const db = await open(url);
    onTestFinished(async () => {
      await writeMeta(db, 'schema', String(NEWEST_SCHEMA));
      await writeMeta(db, 'oldest-reader', oldest);
    });
    const oldest = (await readMeta(db, 'oldest-reader'))!;
    await writeMeta(db, 'schema', String(NEWEST_SCHEMA + 1));
    await open(url);
    await writeMeta(db, 'oldest-reader', String(NEWEST_SCHEMA + 1));
    await expect(openPostgresDb(url)).rejects.toMatchObject({ code: 'store_too_new' });
  });
});
