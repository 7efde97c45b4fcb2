import { statSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isMissingPart, missingPartLines } from './errors/exit.ts';
import type * as program from './main.ts';

/**
 * Loads the built program beside this file and runs one command line. A bundle of its own: Node's compile cache must be
 * on before the program is loaded.
 * @returns the exit status
 */
export async function start(argv: readonly string[]): Promise<number> {
  settleHome(process.env);
  const folder = compileCacheFolder(process.env);
  if (folder !== undefined) enableCompileCache(folder);
  try {
    const { main } = createRequire(import.meta.url)('./cli.cjs') as typeof program;
    return await main(argv);
  } catch (error) {
    if (!isMissingPart(error)) throw error;
    process.stderr.write(missingPartLines(argv.includes('--json')));
    return 1;
  }
}

/**
 * Treats a user without a home folder, as in some containers, like one whose HOME is empty. Otherwise Node throws when a
 * program asks for the folder, and some libraries ask while they are loaded.
 */
export function settleHome(env: NodeJS.ProcessEnv, ask = homedir): void {
  try {
    ask();
  } catch {
    env['HOME'] = '';
  }
}

/**
 * Where Node keeps compiled code: among the user's own caches, because Node's own choice is a folder in /tmp that another
 * user may have made first, and V8 runs what it finds there. `undefined` where those caches belong to someone else (root
 * with the home of another user) or there are none. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE are Node's own and
 * take precedence.
 */
export function compileCacheFolder(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  isOwn: (folder: string) => boolean = belongsToThisUser,
): string | undefined {
  const [caches, ...below] = userCaches(env, platform);
  if (!isAbsolute(caches) || !isOwn(caches)) return undefined;
  return join(caches, ...below, 'skinsmith', 'compiled');
}

/** A folder that should exist, and the way from there. */
function userCaches(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly [string, ...string[]] {
  const { HOME: home = '', XDG_CACHE_HOME: named = '', LOCALAPPDATA: local = '' } = env;
  if (platform === 'win32') return [local];
  if (platform === 'darwin') return [home, 'Library', 'Caches'];
  return isAbsolute(named) ? [named] : [home, '.cache'];
}

/** Windows has no user ids; the folder for caches is the user's own there. */
function belongsToThisUser(folder: string): boolean {
  return (
    process.getuid === undefined || statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid()
  );
}
