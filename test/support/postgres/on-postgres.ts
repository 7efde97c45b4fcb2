import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, type test } from 'vitest';
import { isWhole } from '../setup/whole-run.ts';
import { countLent } from './own-database.ts';

export type StoreKind = 'sqlite' | 'postgres';

const TESTS = join(import.meta.dirname, '../..');

let current: StoreKind = 'sqlite';

/** What services of this file of tests keep their data in. */
export function storeKind(): StoreKind {
  return current;
}

/** For the file of tests that is loaded next. */
export function useStore(kind: StoreKind): void {
  current = kind;
}

/**
 * Runs files of tests a second time, with services that have their store in PostgreSQL.
 * @param folder in test/
 * @param names of the files there, without `.test.ts`
 * @param inWhole others that only a run of everything tries, see `isWhole`
 */
export function onPostgres(folder: string, names: readonly string[], inWhole: readonly string[] = []): void {
  useStore('postgres');
  for (const name of isWhole ? [...names, ...inWhole] : names) {
    const path = join(TESTS, folder, `${name}.test.ts`);
    describe(`${folder}/${name} on PostgreSQL`, async () => {
      expectDatabases();
      await import(`${pathToFileURL(path).href}?on=postgres`); // the query makes it another module
    });
  }
}

const NO_TESTS = Object.assign(() => {}, { each: () => () => {} });

/**
 * Defines no tests when their file runs a second time, on PostgreSQL: `onSqlite(test)('refuses an empty name', …)`. For
 * what the store has no part in, or does by statements whose results other tests check there.
 */
export function onSqlite<Define extends typeof test | typeof describe>(define: Define): Define {
  return current === 'sqlite' ? define : (NO_TESTS as unknown as Define);
}

/** The same, but for a run of everything: what statements do that are the same for both, or that other tests try. */
export function mostlyOnSqlite<Define extends typeof test | typeof describe>(define: Define): Define {
  return isWhole ? define : onSqlite(define);
}

/** A file of tests that uses a store in a file again would prove nothing. */
function expectDatabases(): void {
  let before = 0;
  beforeAll(() => {
    before = countLent();
  });
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern in the first place.
  afterAll(({}, { tasks }) => {
    const isRun = tasks.some((task) => task.result?.state === 'pass');
    if (isRun) expect(countLent(), 'databases that these tests have used').toBeGreaterThan(before);
  });
}
