export type LockfileTrouble =
  /** A line, or the whole file, is not what a lockfile consists of. */
  | 'lockfile_invalid'
  /** A merge has left its marks. */
  | 'lockfile_conflict'
  /** A line or the file is larger than any real one. */
  | 'lockfile_too_large'
  /** Another program has written into the file since it was opened. */
  | 'lockfile_changed';

/** A lockfile that cannot be used. `message` names the file and, where known, the line (from 1). */
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
    reason: 'The file was written into while it was in use.',
  });
}

const HINTS: Readonly<Record<LockfileTrouble, string>> = {
  lockfile_invalid:
    'Restore the file from version control, or delete the line: the next run makes anew what is missing.',
  lockfile_conflict:
    'Keep the lines of both sides and delete the marks, or take one side whole: the next run makes what is missing.',
  lockfile_too_large: 'See that this is the lockfile and no other file.',
  lockfile_changed: 'Run the same command again: nothing is lost.',
};
