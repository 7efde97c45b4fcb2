/** A journal that cannot be gone on with. `message` names the file. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: string;
  readonly hint: string;

  private constructor(code: string, about: { message: string; hint: string; cause?: unknown }) {
    super(about.message, { cause: about.cause });
    this.code = code;
    this.hint = about.hint;
  }

  static damaged(path: string, cause: unknown): JournalError {
    const message = `${path}: A line of the journal is damaged.`;
    const hint = 'Move that file away and run the command again. Unfinished skins are made again.';
    return new JournalError('journal_damaged', { message, hint, cause });
  }

  /** Nothing in it was written by us, not even the first line, with which a journal begins to exist. */
  static emptied(path: string): JournalError {
    const message = `${path}: The journal of this batch has lost its content, so that skins could be paid for twice.`;
    const hint =
      'Restore the file, or check with skinsmith jobs whether the service is still making skins. Then delete the file: ' +
      'the next run submits what is missing in the lockfile.';
    return new JournalError('journal_emptied', { message, hint });
  }
}
