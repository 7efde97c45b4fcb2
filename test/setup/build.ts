import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { openSigningKey } from '../../src/textures/signing-key.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A signing key that tests copy instead of each making its own (seconds of work). */
    signingKeyPath: string;
  }
}

/** Builds the program that end-to-end tests run, and one signing key for all. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = join(import.meta.dirname, '../..');
  await execa('npm', ['run', 'bundle', '--silent'], { cwd: root, preferLocal: true });
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-tests-'));
  const signingKeyPath = join(folder, 'signing-key.pem');
  await openSigningKey(signingKeyPath);
  project.provide('signingKeyPath', signingKeyPath);
  return async () => await rm(folder, { recursive: true, force: true });
}
