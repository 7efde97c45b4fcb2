import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { startDatabaseMaker } from '../postgres/database-maker.ts';
import { SHARED } from './environment.ts';
import { type Materials, makeMaterials, materialsIn } from './materials.ts';

declare module 'vitest' {
  interface ProvidedContext extends Materials {
    /** Where tests ask for PostgreSQL databases, see support/postgres. */
    databaseMakerPort: number;
  }
}

const nothing = async () => {};

/**
 * Builds the program that end-to-end tests run, and what takes too long for each test to make its own. A folder of an
 * earlier setup is used as it is (see test/mutants, whose thousands of runs use no program), and so are the databases of
 * another run beside this one (see test/run.ts).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { [SHARED.folder]: shared, [SHARED.databases]: port } = process.env;
  const { folder, remove } = shared === undefined ? await makeSetup() : { folder: shared, remove: nothing };
  for (const [name, path] of Object.entries(materialsIn(folder)))
    project.provide(name as keyof Materials, path);
  const maker = port === undefined ? await startDatabaseMaker() : { port: Number(port), stop: nothing };
  project.provide('databaseMakerPort', maker.port);
  return async () => {
    await maker.stop();
    await remove();
  };
}

/** Builds the program into `dist/`, and the materials into a folder of their own. */
export async function makeSetup(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-tests-'));
  const remove = async () => await rm(folder, { recursive: true, force: true });
  try {
    await Promise.all([buildProgram(), makeMaterials(folder)]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}

async function buildProgram(): Promise<void> {
  const root = join(import.meta.dirname, '../../..');
  await execa('npm', ['run', 'bundle', '--silent'], { cwd: root, preferLocal: true });
}
