import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { crc32 } from 'node:zlib';

interface Start {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Of the program's files. */
  readonly folder: string;
  readonly platform?: NodeJS.Platform;
}

const COMMAND = /^[a-z][a-z-]{1,19}$/;

/**
 * Where the compiled code of a command is kept: in a file for each command, installation and way to run Node (V8 takes
 * nothing of another version, or with other flags). `undefined` for a command line without a command, which loads too
 * little, where Node is told to keep none (for coverage, functions must be compiled in the run), and for a user without a
 * home.
 */
export function cachePath({ argv, env, folder, platform = process.platform }: Start): string | undefined {
  const command = argv.find((word) => COMMAND.test(word));
  const isOff = env['NODE_DISABLE_COMPILE_CACHE'] !== undefined || env['NODE_V8_COVERAGE'] !== undefined;
  if (command === undefined || isOff) return undefined;
  const caches = cachesOf(env, platform);
  if (caches === undefined) return undefined;
  const { version, arch, execArgv } = process;
  const key = crc32(JSON.stringify([folder, version, arch, execArgv, env['NODE_OPTIONS']]));
  return join(caches, `${command}-${key.toString(16).padStart(8, '0')}`);
}

/** Where users share Node's own caches, each has a folder beside them. Otherwise it is among the user's own caches. */
function cachesOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const shared = env['NODE_COMPILE_CACHE'];
  if (shared) return join(shared, `skinsmith-${process.getuid?.() ?? 'user'}`);
  const own = userCaches(env, platform);
  return isAbsolute(own) ? join(own, 'skinsmith', 'compiled') : undefined;
}

function userCaches(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? '';
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Caches');
  const named = env['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(named) ? named : join(homeOf(env), '.cache');
}

/** Empty for a user without one, as in some containers. */
function homeOf(env: NodeJS.ProcessEnv): string {
  try {
    return env['HOME'] || homedir();
  } catch {
    return '';
  }
}
