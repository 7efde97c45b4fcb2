import { join } from 'node:path';
import { inject } from 'vitest';
import type { ChildProgramName } from '../setup/child-programs.ts';

/** Path of a program of `test/support` that is started as a process of its own. */
export function childProgram(name: ChildProgramName): string {
  return join(inject('childProgramsPath'), `${name}.mjs`);
}
