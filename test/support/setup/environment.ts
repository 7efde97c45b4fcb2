import { readFileSync, statfsSync } from 'node:fs';

/** Names of variables with which a run of tests uses a setup of others, and removes nothing of it. */
export const SHARED = { folder: 'SKINSMITH_TESTS_SETUP', databases: 'SKINSMITH_TESTS_DATABASES' } as const;

const IN_MEMORY = '/dev/shm';
/** Bytes that must be free there; a run of all tests needs a small part of that. */
const ENOUGH = 4 * 1024 ** 3;

/**
 * Files of tests lie in memory where that is possible, because databases wait for a disk at each opening and closing. A
 * TMPDIR that is set already stays as it is.
 */
export function setEnvironment(env: NodeJS.ProcessEnv): void {
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
