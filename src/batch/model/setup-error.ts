/** A batch that cannot start or continue, for a reason not tied to a single source: a missing list, stdin used twice. */
export class BatchSetupError extends Error {
  override readonly name = 'BatchSetupError';
  readonly code: string;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, rest: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: rest.cause });
    this.code = code;
    this.hint = rest.hint;
  }
}
