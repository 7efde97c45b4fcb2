import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeFolder, processExists, writeFileAtomically } from './files.ts';
import { importSqlite, isDamagedDatabase, isSqliteBusy } from './sqlite.ts';

/** This process holds the lock until it releases it or ends, however it ends. */
export interface ProcessLock {
  release(): void;
}

/** A lock file that is damaged, so that nobody can take the lock. `message` names the file. */
export class LockFileError extends Error {
  override readonly name = 'LockFileError';
  readonly code = 'lock_file_damaged';
  readonly hint = 'It holds no data. Check that no other skinsmith is running, then delete the file.';

  constructor(path: string, cause: unknown) {
    super(`${path}: The lock file is damaged.`, { cause });
  }
}

const holderSchema = z.object({
  pid: z.number().int().positive(),
  /** The purpose of the lock, for messages. */
  about: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
});

/** The process that holds the lock. */
export type LockHolder = z.infer<typeof holderSchema>;

const ATTEMPTS = 5;
/** Milliseconds. */
const PAUSE = 15;

/**
 * Takes a lock that only one process at a time can hold. It is the operating system's lock on a database
 * file: it disappears with the process, even after kill -9, so stale locks cannot exist. The file itself stays:
 * removing it would let two processes in, one of them on the removed file.
 * @returns the other process that holds it, as far as that is known
 * @throws LockFileError; Error of node:sqlite or the file system
 */
export async function acquireLock(
  path: string,
  about: string,
  now = Date.now(),
): Promise<ProcessLock | { readonly holder: LockHolder | undefined }> {
  makeFolder(dirname(path), 0o700);
  for (let attempt = 1; ; attempt++) {
    const lock = await tryLock(path);
    if (lock) return hold(lock, path, { pid: process.pid, about, since: now });
    const holder = readHolder(path);
    if (attempt === ATTEMPTS || (holder && processExists(holder.pid))) return { holder };
    // No known holder: two processes starting at once block each other, or one has not yet written its name.
    await sleep(PAUSE * attempt + (process.pid % PAUSE));
  }
}

async function tryLock(path: string): Promise<DatabaseSync | undefined> {
  const { DatabaseSync } = await importSqlite();
  const lock = new DatabaseSync(path);
  try {
    // Without an in-memory journal, SQLite would create one beside the file.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isSqliteBusy(error)) return undefined;
    throw isDamagedDatabase(error) ? new LockFileError(path, error) : error;
  }
}

/** The holder's file is for people; the lock is what counts. */
function hold(lock: DatabaseSync, path: string, holder: LockHolder): ProcessLock {
  try {
    writeFileAtomically(holderPath(path), JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    release: () => {
      if (!lock.isOpen) return;
      try {
        rmSync(holderPath(path), { force: true }); // first, while it cannot belong to the next holder
      } finally {
        lock.close();
      }
    },
  };
}

/** Beside the lock, because a locked database cannot be read. Never open the lock itself as a file: closing it would release it. */
function holderPath(path: string): string {
  return `${path}.holder`;
}

/** Undefined while the file is being created or removed. After kill -9 it may name an earlier holder. */
function readHolder(path: string): LockHolder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(readFileSync(holderPath(path), 'utf8'))).data;
  } catch {
    return undefined; // only used in messages
  }
}
