import type { z } from 'zod';
import {
  isFetched,
  type LockEntry,
  type LockIdentity,
  lineOf,
  lockEntrySchema,
  lockIdentitySchema,
} from '../../protocol/lock-line.ts';
import { type WorkContent, workKey } from '../model.ts';

export type { LockEntry };

/** Maximum bytes of a line, without its line break. */
export const LONGEST_LINE = 64 * 1024;

const USER = 'user:';
/** Skin data, as `SourceIds` names it. */
const GIVEN = /^(?:value|skin|bedrock):/i;
/** Git's conflict markers. */
const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})/;

/** The work key of an entry that passed the schema. */
export function workOf({ source, pixels = '', options }: LockIdentity): string {
  return workKey({ content: isFetched(source) ? fetchedContent(source) : { pixels }, ...options });
}

function fetchedContent(source: string): WorkContent {
  if (GIVEN.test(source)) return { given: source };
  return source.startsWith(USER) ? { user: source.slice(USER.length) } : { url: source };
}

/** The path of a lockfile and the number of a line in it, for errors. */
interface LinePlace {
  readonly path: string;
  readonly line: number;
}

/** @throws LockfileError when the line is not an entry */
export function parseEntry(text: string, place: LinePlace): LockEntry {
  return entryIn(parseLine(text, place), lockEntrySchema, place);
}

/**
 * The same, but accepts an entry with faults elsewhere and returns only its identity: those faults affect only this
 * entry, and `parseEntry` reports them.
 * @throws LockfileError when the line does not identify an entry
 */
export function parseIdentity(text: string, place: LinePlace): LockEntry | LockIdentity {
  const line = parseLine(text, place);
  return lockEntrySchema.safeParse(line).data ?? entryIn(line, lockIdentitySchema, place);
}

function parseLine(text: string, place: LinePlace): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!CONFLICT.test(text))
      throw new LockfileError('lockfile_invalid', { ...place, reason: 'The line is not JSON.', cause });
    const reason = 'The line is a conflict marker of a merge.';
    throw new LockfileError('lockfile_conflict', { ...place, reason, cause });
  }
}

function entryIn<S extends z.ZodType>(line: unknown, schema: S, place: LinePlace): z.output<S> {
  const { success, data, error } = schema.safeParse(line);
  if (success) return data;
  const reason = `The line is not an entry: ${problemOf(error)}.`;
  throw new LockfileError('lockfile_invalid', { ...place, reason });
}

/** The line of an entry to write. @throws LockfileError for an entry that could not be read back */
export function writableLine(entry: LockEntry, path: string): string {
  const { error, data } = lockEntrySchema.safeParse(entry);
  if (!data) throw unwritable(entry, problemOf(error), path);
  const line = lineOf(data);
  if (Buffer.byteLength(line) > LONGEST_LINE) throw unwritable(entry, 'it is too long', path);
  return line;
}

function unwritable({ source }: LockEntry, problem: string, path: string): LockfileError {
  const reason = `The entry of ${source} cannot be written: ${problem}.`;
  return new LockfileError('lockfile_invalid', { path, reason });
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join('.');
  return place ? `${place}: ${issue?.message}` : `${issue?.message}`;
}

type LockfileTrouble =
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
    'Run generate, without --frozen: it keeps the lines of both sides. If a side is not whole lines, take one side: the next run makes missing skins.',
  lockfile_too_large: 'Check that this file is the lockfile.',
  lockfile_changed: 'Run the same command again: nothing is lost.',
};
