/** The lockfile and its entries. */

export type { LockEntry } from '../lockfile/entry.ts';
export { Lockfile } from '../lockfile/lockfile.ts';
export { entryProblem } from '../lockfile/sound-entry.ts';
export { sourcePath } from '../lockfile/source-ids.ts';
