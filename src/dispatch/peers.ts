import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { makeFolder, processExists } from '../base/files.ts';
import { importSqlite, SQLITE, sqliteCode, switchToWal } from '../base/sqlite.ts';
import type { Job } from '../protocol/job.ts';

/** The caller's other processes on this machine, by the file that they share. */

/** Milliseconds that a process waits for others' write transactions. */
const BUSY = 5_000;
/** Version of the file format: programs with different versions do not share. */
const FILE = 'queue-2.db';

const SCHEMA = `
  create table if not exists peers (
    name text primary key, host text not null, pid integer not null, touched real not null,
    wants integer not null, unsure integer not null, jobs text not null, typical real
  ) strict;
  create table if not exists works (key text primary key, peer text not null, job text, at real not null) strict;
  create table if not exists looks (
    id integer primary key check (id = 1), peer text not null, asked_at real not null, body text not null,
    until real not null, spent real not null
  ) strict;
  create table if not exists windows (
    span real primary key, allowed real not null, left_over real not null, ends_at real not null
  ) strict;
  insert or ignore into looks (id, peer, asked_at, body, until, spent)
    values (1, '', 0, '{"jobs":[],"links":{}}', 0, 0);
`;

/** What a transaction reads and writes the file with. */
export type QueueDb = Pick<DatabaseSync, 'exec' | 'prepare'>;

/** Keeps its statements prepared: a batch runs the same few with each request. */
class PreparedDb implements QueueDb {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare(sql: string): StatementSync {
    const kept = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, kept);
    return kept;
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * The file that processes of one caller share. Its content matters only while they run, so a damaged file is
 * replaced, and a process that cannot use it continues as if it were alone.
 */
export class QueueFile {
  #db: PreparedDb | undefined;
  readonly #onBroken: (why: string) => void;

  /** `onBroken`: called once, when sharing becomes impossible. */
  static async open(folder: string, onBroken: (why: string) => void): Promise<QueueFile> {
    const file = new QueueFile(onBroken);
    try {
      makeFolder(folder, 0o700);
      const { DatabaseSync } = await importSqlite();
      file.#db = new PreparedDb(await openOrReplace(DatabaseSync, join(folder, FILE)));
    } catch (error) {
      file.#broke(error);
    }
    return file;
  }

  private constructor(onBroken: (why: string) => void) {
    this.#onBroken = onBroken;
  }

  /** Runs `act` in one transaction. `alone`: the result if nothing is shared. */
  transact<T>(act: (db: QueueDb) => T, alone: T): T {
    const db = this.#db;
    if (!db) return alone;
    try {
      db.exec('begin immediate');
      const result = act(db);
      db.exec('commit');
      return result;
    } catch (error) {
      this.#broke(error);
      return alone;
    }
  }

  /** A number that changes when another process has written something. */
  get version(): number {
    if (!this.#db) return 0;
    try {
      return Number(this.#db.prepare('pragma data_version').get()?.['data_version']);
    } catch (error) {
      this.#broke(error);
      return 0;
    }
  }

  close(): void {
    const db = this.#db;
    this.#db = undefined;
    try {
      db?.close();
    } catch {
      // Its content is no longer needed.
    }
  }

  #broke(error: unknown): void {
    this.close();
    this.#onBroken((error as Error).message);
  }
}

type Database = typeof DatabaseSync;

/** Another process may have replaced a damaged file already, so retry once before removing it. */
async function openOrReplace(Database: Database, path: string): Promise<DatabaseSync> {
  for (let tries = 0; ; tries++) {
    try {
      return await openSound(Database, path);
    } catch (error) {
      if (tries === 2 || !DAMAGE.has(sqliteCode(error))) throw error;
      if (tries === 1) for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
  }
}

/** SQLite's codes for a damaged file, a file that is not a database, and an unexpected table layout. */
const DAMAGE = new Set<number>([SQLITE.error, SQLITE.corrupt, SQLITE.notADatabase]);

async function openSound(Database: Database, path: string): Promise<DatabaseSync> {
  const db = new Database(path);
  try {
    db.exec(`pragma busy_timeout = ${BUSY}; pragma synchronous = off`);
    await switchToWal(db);
    db.exec(SCHEMA); // names all columns of `looks`
    db.prepare('select name, host, pid, touched, wants, unsure, jobs, typical from peers').all();
    db.prepare('select span, allowed, left_over, ends_at from windows').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

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

/** Milliseconds after which a list shows what a dead process had sent: usually, and if it sent that just now. */
const LISTED_SOON = 300;
const LISTED_LATE = 5_000;

/** What one dead process had in flight. */
interface Group {
  readonly slots: number;
  /** From then on a list is expected to show the jobs. */
  readonly soon: number;
  /** Lists requested before then may lack them. */
  readonly until: number;
}

/**
 * Submissions that dead processes had in flight. Each may have become a job, so it counts until a list shows a job of
 * unknown origin that was not there before, until a list requested late enough shows none, or at the latest when the
 * dead process's row is forgotten. Times: milliseconds since the epoch.
 */
export class AbandonedSubmissions {
  readonly #isKnown: (id: string) => boolean;
  #groups: readonly Group[] = [];
  /** The jobs in the newest list; undefined: there has been none. */
  #listed: ReadonlySet<string> | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  /** Jobs that have appeared since, of any origin: a submission of ours may be answered after its job is listed. */
  readonly #appeared = new Set<string>();
  /** Jobs that dead processes were known to have: they are none of what was in flight. */
  readonly #theirs = new Set<string>();

  /** `isKnown`: whether a job is known to be another submission's. */
  constructor(isKnown: (id: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /**
   * These processes were found dead. `hasJustDied`: whether this one saw them alive. Then what they sent last may still
   * wait in the network, or at a busy service.
   */
  died(gone: readonly Peer[], now: number, hasJustDied: (name: string) => boolean): void {
    for (const { id } of gone.flatMap(({ jobs }) => jobs)) this.#theirs.add(id);
    const soon = now + LISTED_SOON;
    const groups = gone.map(({ name, unsure: slots }) => {
      return { slots, soon, until: hasJustDied(name) ? now + LISTED_LATE : soon };
    });
    this.#groups = [...this.#groups, ...groups.filter(({ slots }) => slots > 0)];
  }

  /** A list is known that was requested at this time. */
  listed(askedAt: number, jobs: readonly Job[]): void {
    this.#groups = this.#groups.filter(({ until }) => until > askedAt);
    if (this.#groups.length === 0) this.#forget();
    else for (const { id } of jobs) if (this.#listed?.has(id) === false) this.#appeared.add(id);
    this.#listed = new Set(jobs.map(({ id }) => id));
    this.#listedAt = askedAt;
  }

  count(now: number): number {
    this.#groups = this.#groups.filter(({ until }) => until + REMEMBERED > now);
    const slots = this.#groups.reduce((sum, group) => sum + group.slots, 0);
    if (slots === 0) return 0;
    const unknown = [...this.#appeared].filter((id) => !this.#isKnown(id) && !this.#theirs.has(id));
    return Math.max(0, slots - unknown.length);
  }

  #forget(): void {
    this.#appeared.clear();
    this.#theirs.clear();
  }

  /** When the next list may show what became of them; undefined if there are none. */
  settledAt(now: number): number | undefined {
    if (this.count(now) === 0) return undefined;
    const times = this.#groups.flatMap(({ soon, until }) => [soon, until]);
    return Math.min(...times.filter((time) => time > this.#listedAt));
  }
}
