import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { importSqlite } from '../../node-sqlite.ts';
import { isAlive, writeFileAtomically } from './atomic-file.ts';

/** The lock is this process's until it is released or the process ends, however it ends. */
export interface Held {
  release(): void;
}

const holderSchema = z.object({
  pid: z.number().int().positive(),
  /** What it does with it, for people. */
  about: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
});

/** Who has the lock. */
export type Holder = z.infer<typeof holderSchema>;

const SQLITE_BUSY = 5;
const ATTEMPTS = 5;
/** Milliseconds. */
const PAUSE = 15;

/**
 * Takes a lock that one process at a time can have. It is the operating system's lock on a database file: it
 * is gone with the process, even after kill -9, and no leftover has to be judged by its age. The file stays:
 * to remove it would let two in, one of them on the file that is gone.
 * @returns who holds it (as far as that is known) when another does
 * @throws Error of node:sqlite or the file system
 */
export async function acquire(
  path: string,
  about: string,
  now = Date.now(),
): Promise<Held | { readonly holder: Holder | undefined }> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt++) {
    const lock = await tryLock(path);
    if (lock) return hold(lock, path, { pid: process.pid, about, since: now });
    const holder = readHolder(path);
    if (attempt === ATTEMPTS || (holder && isAlive(holder.pid))) return { holder };
    // Nobody who is known has it: two that start at once stop each other, or one has not yet said who it is.
    await sleep(PAUSE * attempt + (process.pid % PAUSE));
  }
}

async function tryLock(path: string): Promise<DatabaseSync | undefined> {
  const { DatabaseSync } = await importSqlite();
  const lock = new DatabaseSync(path);
  try {
    // Without a journal in memory it would make one beside the file.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/** The holder's file is for people; the lock is what counts. */
function hold(lock: DatabaseSync, path: string, holder: Holder): Held {
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
        rmSync(holderPath(path), { force: true }); // first, while it cannot be the next one's
      } finally {
        lock.close();
      }
    },
  };
}

/** Beside the lock, because a locked database cannot be read. Nobody may open the lock itself as a file: closing it would free it. */
function holderPath(path: string): string {
  return `${path}.holder`;
}

/** Undefined while it comes or goes. After kill -9 the file of an earlier holder may be there. */
function readHolder(path: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(readFileSync(holderPath(path), 'utf8'))).data;
  } catch {
    return undefined; // it is only there to be named
  }
}
