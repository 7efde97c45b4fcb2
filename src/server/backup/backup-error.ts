export type BackupErrorCode =
  | 'no_data'
  | 'backup_unwritable'
  | 'backup_unreadable'
  | 'backup_damaged'
  | 'backup_too_new'
  | 'backup_too_old'
  | 'pg_restore_missing'
  | 'pg_restore_too_old'
  | 'data_in_the_way'
  | 'data_in_use';

/** Why nothing was backed up or restored. `message` and `hint` are for the operator's eyes. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: BackupErrorCode,
    message: string,
    { hint, cause }: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}
