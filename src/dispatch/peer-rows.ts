import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { processExists } from '../base/process-exists.ts';
import type { Peer, PeerJob } from './peers.ts';

/** Milliseconds of silence after which a process counts as gone, whatever its process id says. */
const STALE = 10_000;
/** Milliseconds that the row of a dead process is kept, so that all others see the jobs it left behind. */
export const REMEMBERED = 60_000;

/** The processes that share the file, except the one called `name`; `now`: milliseconds since the epoch. */
export function readPeers(
  db: DatabaseSync,
  name: string,
  now: number,
): { readonly living: readonly Peer[]; readonly gone: readonly Peer[] } {
  db.prepare('delete from peers where abs(touched - ?) > ? and name <> ?').run(now, REMEMBERED, name);
  const rows = db.prepare('select * from peers where name <> ?').all(name);
  const peers = rows.map((row) => ({ peer: peerIn(row), isAlive: isAlive(row, now) }));
  return {
    living: peers.filter(({ isAlive }) => isAlive).map(({ peer }) => peer),
    gone: peers.filter(({ isAlive }) => !isAlive).map(({ peer }) => peer),
  };
}

/** Writes this process's own row, which is also its heartbeat. */
export function writeOwnRow(db: DatabaseSync, { name, wants, unsure, jobs, typical }: Peer, now: number) {
  db.prepare(
    `insert or replace into peers (name, host, pid, touched, wants, unsure, jobs, typical)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(name, hostname(), process.pid, now, Number(wants), unsure, JSON.stringify(jobs), typical ?? null);
}

/** This process is gone. Its row stays for a while, because it names the jobs that it leaves. */
export function writeGone(db: DatabaseSync, name: string): void {
  db.prepare('update peers set pid = 0 where name = ?').run(name);
}

/** Process ids are valid only on their own host; in containers every run may have the same one. */
function isAlive({ host, pid, touched }: Readonly<Record<string, unknown>>, now: number): boolean {
  if (Number(pid) <= 0 || Math.abs(now - Number(touched)) >= STALE) return false;
  return host !== hostname() || processExists(Number(pid));
}

function peerIn(row: Readonly<Record<string, unknown>>): Peer {
  return {
    name: String(row['name']),
    wants: row['wants'] === 1,
    unsure: Number(row['unsure']),
    jobs: JSON.parse(String(row['jobs'])) as PeerJob[],
    typical: typeof row['typical'] === 'number' ? row['typical'] : undefined,
  };
}
