import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Bytes that must be free there: a run of all tests needs a small part of that. */
const ENOUGH = 4 * 1024 ** 3;

/**
 * Spares the test run work that proves nothing: programs started again and again are compiled once, and files of tests
 * lie in memory where that is possible, because databases wait for a disk at each opening and closing. What is set
 * already (TMPDIR, NODE_COMPILE_CACHE) stays as it is.
 */
export function setEnvironment(env: NodeJS.ProcessEnv): void {
  env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  if (isRoomy(IN_MEMORY)) env['TMPDIR'] ??= IN_MEMORY;
}

/** Whether a folder has room, and programs may be run from it (tests write some). */
function isRoomy(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const [, options = 'noexec'] =
      new RegExp(`^\\S+ ${folder} \\S+ (\\S+)`, 'm').exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
    return bavail * bsize >= ENOUGH && !options.split(',').includes('noexec');
  } catch {
    return false; // not on Linux
  }
}
