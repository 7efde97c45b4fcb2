import { execFile } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { BackupError } from './data-files.ts';

/** `archive`: a format that pg_restore reads (custom, tar, directory). */
type DumpFormat = 'archive' | 'plain';

/** The table of contents of a dump: the first file in a tar, or a file in a directory. */
const CONTENTS = 'toc.dat';

const START_BYTES = 100;

/** The format of a pg_dump file; undefined for other files. @throws Error of the file system */
export async function dumpFormat(file: string): Promise<DumpFormat | undefined> {
  const isFolder = (await stat(file)).isDirectory();
  const opened = await open(isFolder ? join(file, CONTENTS) : file);
  try {
    const { buffer } = await opened.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    const start = buffer.toString('latin1');
    if (start.startsWith('PGDMP') || start.startsWith(`${CONTENTS}\0`)) return 'archive';
    return /^--\r?\n-- PostgreSQL database /.test(start) ? 'plain' : undefined;
  } finally {
    await opened.close();
  }
}

/** The error for a dump in place of our own backup. */
export function asDump(file: string, format: DumpFormat): BackupError {
  if (format === 'archive') {
    return new BackupError('backup_unreadable', `${file} is a PostgreSQL dump made by pg_dump.`, {
      hint: `Check it with skinsmith backup --verify ${file}, and restore it with pg_restore into an empty database.`,
    });
  }
  return new BackupError(
    'backup_unreadable',
    `${file} is a PostgreSQL dump as SQL, which cannot be checked for completeness.`,
    {
      hint: 'Restore it with psql into an empty database, and copy that to a folder with skinsmith store copy. To make dumps that can be checked, use pg_dump --format=custom.',
    },
  );
}

interface Reading {
  /** Where to find pg_restore. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Tables that every store has. */
const TABLES = ['api_keys', 'callers', 'jobs', 'meta', 'skins', 'texture_data', 'textures', 'users'];

/** Reads all of a dump of a store. Returns the version of the schema in it. @throws BackupError */
export async function verifyDump(file: string, reading: Reading): Promise<number> {
  const run = async (...options: string[]) => await pgRestore(file, options, reading);
  const missing = missingIn(await run('--list'));
  if (missing.length > 0) {
    throw new BackupError(
      'backup_unreadable',
      `${file} is not a dump of a whole store: the data of ${missing.join(', ')} is missing.`,
      {
        hint: 'Dump the whole database of the store with pg_dump --format=custom',
      },
    );
  }
  const schema = /^schema\t(\d+)/m.exec(await run('--data-only', '--table=meta', '--file=-'))?.[1];
  await run(`--file=${devNull}`);
  if (schema === undefined)
    throw new BackupError('backup_unreadable', `${file} does not state the schema of a store.`);
  return Number(schema);
}

/** Tables of every store, or named in the contents, whose rows are missing. */
function missingIn(contents: string): string[] {
  const named = (kind: string) =>
    [...contents.matchAll(new RegExp(`^\\d+; \\d+ \\d+ ${kind} \\S+ (\\S+) `, 'gm'))].map(
      ([, name = '']) => name,
    );
  const filled = new Set(named('TABLE DATA'));
  return [...new Set([...TABLES, ...named('TABLE(?! DATA)')])].filter((name) => !filled.has(name));
}

const MAX_OUTPUT = 64 * 1024 * 1024;

async function pgRestore(
  file: string,
  options: readonly string[],
  { env, signal }: Reading,
): Promise<string> {
  try {
    const words = [...options, resolve(file)];
    const settings = { env: { ...env, LC_ALL: 'C' }, signal, maxBuffer: MAX_OUTPUT };
    return (await promisify(execFile)('pg_restore', words, settings)).stdout;
  } catch (error) {
    signal.throwIfAborted();
    throw asFailure(file, error as NodeJS.ErrnoException & { stderr?: string });
  }
}

function asFailure(file: string, cause: NodeJS.ErrnoException & { stderr?: string }): unknown {
  const hint =
    'Install the client programs of PostgreSQL, as new as the pg_dump that made the file or newer.';
  if (cause.code === 'ENOENT') {
    const message = `${file} is a PostgreSQL dump. Checking it requires pg_restore, which is not in the PATH.`;
    return new BackupError('pg_restore_missing', message, { hint, cause });
  }
  if (typeof cause.code !== 'number') return cause;
  const [reason = ''] = (cause.stderr ?? '').replace(/^pg_restore: (?:error: )?/, '').split('\n');
  if (/unsupported version/.test(reason)) {
    const message = `The pg_restore here is too old for ${file}: ${reason}.`;
    return new BackupError('pg_restore_too_old', message, { hint, cause });
  }
  const message = `The dump ${file} is damaged. pg_restore reports: ${reason}.`;
  return new BackupError('backup_damaged', message, { hint: 'Use an earlier one.', cause });
}
