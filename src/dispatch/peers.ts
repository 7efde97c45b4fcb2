import { hostname } from 'node:os';
import { processExists } from '../base/files.ts';
import type { QueueDb } from './queue-file.ts';

/** A job as other processes of the caller see it. */
interface PeerJob {
  readonly id: string;
  /** When the service accepted it, milliseconds since the epoch. */
  readonly at: number;
  /** Expected duration in milliseconds, as the service said. */
  readonly eta: number | undefined;
}

/** A process of the same caller on this machine. */
export interface Peer {
  readonly name: string;
  /** Whether it has work to submit. */
  readonly wants: boolean;
  /** Submissions in flight. */
  readonly unsure: number;
  readonly jobs: readonly PeerJob[];
  /** Typical duration of its jobs, milliseconds; undefined while unknown. */
  readonly typical: number | undefined;
}

/** Milliseconds that a turn lasts. */
const TURN = 3_000;
/** How many ended jobs are remembered: a list requested earlier may still show them. */
const KEPT = 500;

/** The state of the other processes, from one read of their rows to the next. */
export class Peers {
  #peers = new Map<string, Peer>();
  readonly #everSeen = new Set<string>();
  readonly #gone = new Set<string>();
  #ended: readonly string[] = [];

  get list(): readonly Peer[] {
    return [...this.#peers.values()];
  }

  /**
   * Their rows were read. `gone`: rows of processes that have ended.
   * @returns the processes that have ended since the last time
   */
  saw(living: readonly Peer[], gone: readonly Peer[]): readonly Peer[] {
    const before = this.#peers;
    this.#peers = new Map(living.map((peer) => [peer.name, peer]));
    for (const { name } of living) this.#everSeen.add(name);
    const last = new Map([...living, ...gone].map((peer) => [peer.name, peer]));
    for (const { name, jobs } of before.values()) {
      const kept = new Set(last.get(name)?.jobs.map(({ id }) => id));
      const ended = jobs.map(({ id }) => id).filter((id) => !kept.has(id));
      if (ended.length > 0) this.#ended = [...this.#ended, ...ended].slice(-KEPT);
    }
    return gone.filter(({ name }) => this.#isNewlyGone(name));
  }

  #isNewlyGone(name: string): boolean {
    const isNew = !this.#gone.has(name);
    this.#gone.add(name);
    return isNew;
  }

  isThere(name: string): boolean {
    return this.#peers.has(name);
  }

  /** Whether it has been present during this process's lifetime. */
  wasThere(name: string): boolean {
    return this.#everSeen.has(name);
  }

  /** Whether the job is, or was, theirs. */
  isLocal(id: string): boolean {
    return this.#ended.includes(id) || this.list.some(({ jobs }) => jobs.some((job) => job.id === id));
  }

  /** Their jobs, except those also followed here. */
  jobs(ours: ReadonlyMap<string, unknown>): readonly PeerJob[] {
    const jobs = new Map(this.list.flatMap((peer) => peer.jobs).map((job) => [job.id, job]));
    return [...jobs.values()].filter(({ id }) => !ours.has(id));
  }

  /** Their slots, except for jobs also followed here. */
  held(ours: ReadonlyMap<string, unknown>): number {
    return this.jobs(ours).length + this.list.reduce((sum, { unsure }) => sum + unsure, 0);
  }

  /** The typical duration of a job: the longest value any of them reports. */
  get typical(): number | undefined {
    const told = this.list.map(({ typical }) => typical).filter((typical) => typical !== undefined);
    return told.length === 0 ? undefined : Math.max(...told);
  }

  /** How many of `limit` slots belong to `name` now, among all that want some. The remainder rotates. */
  share(limit: number, name: string, now: number): number {
    const wanting = this.list.filter(({ wants }) => wants).map((peer) => peer.name);
    const names = [...wanting, name].sort();
    const rank = (names.indexOf(name) + Math.floor(now / TURN)) % names.length;
    return Math.floor(limit / names.length) + (rank < limit % names.length ? 1 : 0);
  }
}

/** Milliseconds of silence after which a process counts as gone, whatever its process id says. */
const STALE = 10_000;
/** Milliseconds that the row of a dead process is kept, so that all others see the jobs it left behind. */
export const REMEMBERED = 60_000;

/** The processes that share the file, except the one called `name`; `now`: milliseconds since the epoch. */
export function readPeers(
  db: QueueDb,
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
export function writeOwnRow(db: QueueDb, { name, wants, unsure, jobs, typical }: Peer, now: number) {
  db.prepare(
    `insert or replace into peers (name, host, pid, touched, wants, unsure, jobs, typical)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(name, hostname(), process.pid, now, Number(wants), unsure, JSON.stringify(jobs), typical ?? null);
}

/** This process is gone. Its row stays for a while, because it names the jobs that it leaves. */
export function writeGone(db: QueueDb, name: string): void {
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

/** Work that a process submits or has submitted; no two submit the same. */
interface SharedWork {
  readonly key: string;
  /** The process. */
  readonly peer: string;
  /** Undefined while it has no job. */
  readonly job: string | undefined;
  /** When this was written, milliseconds since the epoch. */
  readonly at: number;
}

export function readWork(db: QueueDb, key: string): SharedWork | undefined {
  const row = db.prepare('select peer, job, at from works where key = ?').get(key);
  if (!row) return undefined;
  const { peer, job, at } = row;
  return { key, peer: String(peer), job: typeof job === 'string' ? job : undefined, at: Number(at) };
}

export function writeWork(db: QueueDb, { key, peer, job, at }: SharedWork): void {
  const insert = db.prepare('insert or replace into works (key, peer, job, at) values (?, ?, ?, ?)');
  insert.run(key, peer, job ?? null, at);
}

/** It became no job, so that others may try. */
export function deleteWork(db: QueueDb, key: string, peer: string): void {
  db.prepare('delete from works where key = ? and peer = ?').run(key, peer);
}
