import { describe, expect, onTestFinished, test } from 'vitest';
import type { OpenStore } from '../../../../src/server/store/db.ts';
import { NEWEST_SCHEMA, readVersion } from '../../../../src/server/store/meta.ts';
import { openPostgresStore } from '../../../../src/server/store/postgres/postgres-store.ts';
import { emptyDatabase } from '../../../support/postgres/own-database.ts';
import { VERSIONS, type VersionName } from '../../../support/server/program-versions.ts';

/** Opens a store with what a program of that version knows. */
async function open(url: string, version: VersionName): Promise<OpenStore> {
  const store = await openPostgresStore({ url, connections: 1, migrations: VERSIONS[version] });
  onTestFinished(async () => await store.close());
  return store;
}

describe('With PostgreSQL', () => {
  test('This version and the next one continue with a store that the version after the next has changed', async () => {
    const url = await emptyDatabase();
    for (const version of ['this', 'next', 'afterNext'] as const) {
      const { db } = await open(url, version);
      expect(await readVersion(db)).toBe(VERSIONS[version].length);
    }
    const { db } = await open(url, 'next');
    expect(await readVersion(db)).toBe(NEWEST_SCHEMA + 2);
    await open(url, 'this');
  });

  test('A program that is too old for a store is refused with an error that names both schemas', async () => {
    const url = await emptyDatabase();
    await open(url, 'this');
    await open(url, 'next');
    await open(url, 'this');
    await open(url, 'later');
    await expect(open(url, 'this')).rejects.toMatchObject({
      code: 'store_too_new',
      message: `The data was written by a newer skinsmith, or by a development version before 0.1.0 (schema ${NEWEST_SCHEMA + 2}; this version knows ${NEWEST_SCHEMA}).`,
      hint: 'Install the newer version, or name another database: --store or SKINSMITH_STORE',
    });
    await expect(open(url, 'next')).rejects.toMatchObject({ code: 'store_too_new' });
  });
});
