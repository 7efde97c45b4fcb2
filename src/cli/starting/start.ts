import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMissingPart, missingPartLines } from '../errors/missing-part.ts';
import type * as program from '../main.ts';
import { atTheEnd } from './at-the-end.ts';
import { cachePath } from './cache-path.ts';
import { CodeCache } from './code-cache.ts';
import { settleHome } from './home.ts';
import { inSteps } from './in-steps.ts';
import { ProgramFiles } from './program-files.ts';
import { V8Flags } from './v8-flags.ts';

/**
 * Loads the built program beside this file and runs one command line. A bundle of its own, because it loads the others.
 * @returns the exit status
 */
export async function start(argv: readonly string[]): Promise<number> {
  settleHome(process.env);
  try {
    const flags = new V8Flags();
    const { main } = loadProgram(argv, flags);
    flags.setWhenStarted(argv);
    const status = await main(argv);
    endAtOnce();
    return status;
  } catch (error) {
    if (!isMissingPart(error)) throw error;
    process.stderr.write(missingPartLines(argv.includes('--json')));
    return 1;
  }
}

/**
 * When nothing is left to do, Node would free V8's memory piece by piece. To leave that to the system takes 5 ms less after
 * one skin, and 15 after a thousand. Not before the command is done: one that hangs must end with Node's own error, not
 * as a success.
 */
function endAtOnce(): void {
  process.once('beforeExit', () => process.exit());
}

function loadProgram(argv: readonly string[], flags: V8Flags): typeof program {
  const folder = dirname(fileURLToPath(import.meta.url));
  const entry = join(folder, 'cli.cjs');
  const path = cachePath({ argv, env: process.env, folder });
  if (path === undefined) return createRequire(import.meta.url)(entry);
  const cache = CodeCache.read(path);
  const files = new ProgramFiles(folder, cache, flags);
  const exists = (name: string) => existsSync(join(folder, name));
  atTheEnd(process, {
    atOnce: () => cache.save(files.compiled(), exists),
    inSteps: () => {
      if (!cache.isComplete) void inSteps(files.compiled()).then((compiled) => cache.save(compiled, exists));
    },
  });
  return files.load(entry) as typeof program;
}
