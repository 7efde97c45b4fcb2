export type LockfileTrouble =
  /** A line, or the whole file, is not in the lockfile format. */
  | 'lockfile_invalid'
  /** An entry was changed after it was written. */
  | 'lockfile_damaged'
  /** The file has conflict markers of a merge. */
  | 'lockfile_conflict'
  /** A line or the file is larger than any real one. */
  | 'lockfile_too_large'
  /** Another program has written to the file since it was opened. */
  | 'lockfile_changed';

/** A lockfile that cannot be used. `message` names the file and, if known, the line (from 1). */
export class LockfileError extends Error {
  override readonly name = 'LockfileError';
  readonly code: LockfileTrouble;
  readonly hint: string;
  readonly line: number | undefined;

  constructor(
    code: LockfileTrouble,
    { path, line, reason, cause }: { path: string; line?: number; reason: string; cause?: unknown },
  ) {
    super(`${path}${line === undefined ? '' : `, line ${line}`}: ${reason}`, { cause });
    this.code = code;
    this.hint = HINTS[code];
    this.line = line;
  }
}

export function changedInUse(path: string): LockfileError {
  return new LockfileError('lockfile_changed', {
    path,
    reason: 'Another program changed the file while it was in use.',
  });
}

const HINTS: Readonly<Record<LockfileTrouble, string>> = {
  lockfile_invalid:
    'Restore the file from version control, or delete the line. The next run makes missing skins again.',
  lockfile_damaged:
    'Restore the line from version control, or delete it. The next run makes missing skins again. Nothing was written from this entry.',
  lockfile_conflict:
    'Keep the lines of both sides and delete the conflict markers, or take one side. The next run makes missing skins.',
  lockfile_too_large: 'Check that this file is the lockfile.',
  lockfile_changed: 'Run the same command again: nothing is lost.',
};
