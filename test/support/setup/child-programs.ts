import { join } from 'node:path';
import { build } from 'rolldown';

const SUPPORT = join(import.meta.dirname, '..');

/** By the name that a test knows it by. */
const SOURCES = {
  'append-forever': 'batch/append-forever.ts',
  'claim-all': 'server/claim-all.ts',
  'claim-callbacks': 'server/claim-callbacks.ts',
  'hold-lock': 'batch/hold-lock.ts',
  'keep-key': 'cli/keep-key.ts',
  'open-queue-file': 'scripted/open-queue-file.ts',
  'open-store': 'server/open-store.ts',
  'rewrite-forever': 'batch/rewrite-forever.ts',
  'save-digests': 'batch/save-digests.ts',
  'serve-process': 'server/serve-process.ts',
  'submit-keys': 'server/submit-keys.ts',
};

export type ChildProgramName = keyof typeof SOURCES;

/** Bundles the programs that tests start again and again: from the bundle they start in half the time. */
export async function bundleChildPrograms(folder: string): Promise<void> {
  const input = Object.entries(SOURCES).map(([name, path]) => [name, join(SUPPORT, path)]);
  await build({
    platform: 'node',
    input: Object.fromEntries(input),
    output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  });
}
