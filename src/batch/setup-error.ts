/** A batch that cannot begin or go on, through no single source's fault: a list that is not there, stdin asked for twice. */
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
