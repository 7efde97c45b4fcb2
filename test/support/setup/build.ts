import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { startDatabaseMaker } from '../postgres/database-maker.ts';
import { type Materials, makeMaterials, materialsIn } from './materials.ts';

declare module 'vitest' {
  interface ProvidedContext extends Materials {
    /** Where tests ask for PostgreSQL databases, see support/postgres. */
    databaseMakerPort: number;
  }
}

/**
 * Builds the program that end-to-end tests run, and what takes too long for each test to make its own. A folder of an
 * earlier setup is used as it is (see test/mutants, whose thousands of runs use no program).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ready = process.env['SKINSMITH_TESTS_SETUP'];
  const folder = ready ?? (await mkdtemp(join(tmpdir(), 'skinsmith-tests-')));
  if (ready === undefined) await Promise.all([buildProgram(), makeMaterials(folder)]);
  for (const [name, path] of Object.entries(materialsIn(folder)))
    project.provide(name as keyof Materials, path);
  const maker = await startDatabaseMaker();
  project.provide('databaseMakerPort', maker.port);
  return async () => {
    await maker.stop();
    if (ready === undefined) await rm(folder, { recursive: true, force: true });
  };
}

async function buildProgram(): Promise<void> {
  const root = join(import.meta.dirname, '../../..');
  await execa('npm', ['run', 'bundle', '--silent'], { cwd: root, preferLocal: true });
}
