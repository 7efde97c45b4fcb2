import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

/** Milliseconds. */
const LONGEST = 5_000;

/**
 * How git can merge a new lockfile of two branches; undefined where it knows already, outside of a work tree, and without git.
 */
export async function mergeAdvice(lockfile: string): Promise<string | undefined> {
  const name = basename(lockfile);
  const words = ['-C', dirname(lockfile), 'check-attr', 'merge', '--', name];
  try {
    const { stdout } = await promisify(execFile)('git', words, { timeout: LONGEST });
    if (!stdout.trimEnd().endsWith(': unspecified')) return undefined;
  } catch {
    return undefined;
  }
  return `Branches that each add a skin conflict in ${name}, unless .gitattributes has this line: ${name} merge=union`;
}
