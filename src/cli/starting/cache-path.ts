import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

interface Start {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Of the program's files. */
  readonly folder: string;
}

const COMMAND = /^[a-z][a-z-]{1,19}$/;

/**
 * Where the compiled code of a command is kept: in a folder of this user's beside Node's own caches, in a file for each command,
 * installation and way to run Node (V8 takes nothing of another version, or with other flags). `undefined` for a command line without a command, which
 * loads too little, and where Node is told to keep none: for coverage, functions must be compiled in the run.
 */
export function cachePath({ argv, env, folder }: Start): string | undefined {
  const command = argv.find((word) => COMMAND.test(word));
  const isOff = env['NODE_DISABLE_COMPILE_CACHE'] !== undefined || env['NODE_V8_COVERAGE'] !== undefined;
  if (command === undefined || isOff) return undefined;
  const caches = env['NODE_COMPILE_CACHE'] || join(tmpdir(), 'node-compile-cache');
  const { version, arch, execArgv } = process;
  const key = crc32(JSON.stringify([folder, version, arch, execArgv, env['NODE_OPTIONS']]));
  return join(
    caches,
    `skinsmith-${process.getuid?.() ?? 'user'}`,
    `${command}-${key.toString(16).padStart(8, '0')}`,
  );
}
