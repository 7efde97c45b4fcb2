/** A journal that cannot be read. `message` names the file. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code = 'journal_damaged';
  readonly hint = 'Move that file away and run the command again. Unfinished skins are made again.';

  constructor(path: string, cause: unknown) {
    super(`${path}: A line of the journal is damaged.`, { cause });
  }
}

/** Write errors name no file; this adds the path, so that people know which disk or folder is meant. */
export function namingFile(error: unknown, path: string): unknown {
  if (error instanceof Error && 'code' in error && !('path' in error)) return Object.assign(error, { path });
  return error;
}
