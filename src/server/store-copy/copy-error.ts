export type StoreCopyErrorCode =
  | 'no_data'
  | 'store_not_empty'
  | 'store_in_use'
  | 'store_other_version'
  | 'store_too_old'
  | 'copy_differs';

/** Why nothing, or not everything, was copied. `message` and `hint` are for the operator's eyes. */
export class StoreCopyError extends Error {
  override readonly name = 'StoreCopyError';
  readonly code: StoreCopyErrorCode;
  readonly hint: string | undefined;

  constructor(code: StoreCopyErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
