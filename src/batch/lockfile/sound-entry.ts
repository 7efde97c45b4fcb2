import type { SourceProblem } from '../model/source.ts';
import type { LockEntry } from './entry.ts';
import type { Lockfile } from './lockfile.ts';
import { LockfileError } from './lockfile-error.ts';

/** Describes the problem of a readable entry, as a sentence. */
interface EntryCheck {
  damageOf(entry: LockEntry): string | undefined;
}

/** An entry without problems. @throws LockfileError */
export function soundEntry(lockfile: Lockfile, entry: number, check: EntryCheck): LockEntry {
  const read = lockfile.read(entry);
  const damage = check.damageOf(read);
  if (damage !== undefined) throw lockfile.damaged(entry, damage);
  return read;
}

/** The same, with damage reported as that one source's problem. @throws LockfileError when it affects the whole file */
export function readEntry(
  lockfile: Lockfile,
  entry: number,
  check: EntryCheck,
): { readonly entry: LockEntry } | { readonly problem: SourceProblem } {
  try {
    return { entry: soundEntry(lockfile, entry, check) };
  } catch (error) {
    return { problem: entryProblem(error) };
  }
}

/** The problem if the error affects one entry. @throws the error when it affects more */
export function entryProblem(error: unknown): SourceProblem {
  if (!(error instanceof LockfileError) || !ONE_ENTRY.has(error.code)) throw error;
  const { message, hint } = error;
  return { code: 'lockfile_damaged', message, hint };
}

const ONE_ENTRY: ReadonlySet<string> = new Set(['lockfile_damaged', 'lockfile_invalid']);
