/** A journal that cannot be read. `message` names the file. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code = 'journal_damaged';
  readonly hint = 'Move that file away and run the command again. Unfinished skins are made again.';

  constructor(path: string, cause: unknown) {
    super(`${path}: A line of the journal is damaged.`, { cause });
  }
}
