import type { DatabaseSync } from 'node:sqlite';

/** Work that a process submits or has submitted; no two submit the same. */
export interface SharedWork {
  readonly key: string;
  /** The process. */
  readonly peer: string;
  /** Undefined while it has no job. */
  readonly job: string | undefined;
  /** When this was written, milliseconds since the epoch. */
  readonly at: number;
}

export function readWork(db: DatabaseSync, key: string): SharedWork | undefined {
  const row = db.prepare('select peer, job, at from works where key = ?').get(key);
  if (!row) return undefined;
  const { peer, job, at } = row;
  return { key, peer: String(peer), job: typeof job === 'string' ? job : undefined, at: Number(at) };
}

export function writeWork(db: DatabaseSync, { key, peer, job, at }: SharedWork): void {
  const insert = db.prepare('insert or replace into works (key, peer, job, at) values (?, ?, ?, ?)');
  insert.run(key, peer, job ?? null, at);
}

/** It became no job, so that others may try. */
export function deleteWork(db: DatabaseSync, key: string, peer: string): void {
  db.prepare('delete from works where key = ? and peer = ?').run(key, peer);
}
