import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { openSigningKey } from '../../../src/textures/signing-key.ts';
import { writeContracts } from '../contract/write-contracts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A signing key that tests copy instead of each making its own (seconds of work). */
    signingKeyPath: string;
    /** Module that answers of the service are judged by, see support/contract. */
    contractsPath: string;
  }
}

/**
 * Builds the program that end-to-end tests run, and what takes too long for each test to make its own. A folder of an
 * earlier setup is used as it is (see test/mutants, whose thousands of runs use no program).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ready = process.env['SKINSMITH_TESTS_SETUP'];
  const folder = ready ?? (await mkdtemp(join(tmpdir(), 'skinsmith-tests-')));
  const signingKeyPath = join(folder, 'signing-key.pem');
  const contractsPath = join(folder, 'contracts.cjs');
  if (ready === undefined) {
    await Promise.all([buildProgram(), openSigningKey(signingKeyPath), writeContracts(contractsPath)]);
  }
  project.provide('signingKeyPath', signingKeyPath);
  project.provide('contractsPath', contractsPath);
  return async () => {
    if (ready === undefined) await rm(folder, { recursive: true, force: true });
  };
}

async function buildProgram(): Promise<void> {
  const root = join(import.meta.dirname, '../../..');
  await execa('npm', ['run', 'bundle', '--silent'], { cwd: root, preferLocal: true });
}
