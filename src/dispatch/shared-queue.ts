import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../base/clock.ts';
import { processExists } from '../base/process-exists.ts';
import type { LimitWindow } from '../client/rate-limits.ts';
import type { Job } from '../protocol/job.ts';
import { LONG_JOB, spentBy, untilLook } from './look-budget.ts';
import type { Underway } from './look-times.ts';
import { Parties, type Party, type PartyJob } from './parties.ts';
import { QueueFile } from './queue-file.ts';
import { countSubmission, recordWindows, type WindowState } from './shared-windows.ts';
import type { Spots } from './spots.ts';

/** Milliseconds of silence after which a process counts as gone, whatever its process id says. */
const STALE = 10_000;
/** Milliseconds after which a dead process's last submissions are in the list, if they arrived. */
const SETTLING = 300;
/** Milliseconds that the row of a dead process is kept, so that all others see the jobs it left behind. */
const REMEMBERED = 60_000;
/** Milliseconds between checks whether another process's list request has finished. */
const UNDERWAY_PAUSE = 25;
/** Milliseconds after which an unfinished list request is taken over. */
const LOOK_LEASE = 5_000;
/** Milliseconds between reads of the file: while others are known, and otherwise. */
const NOTICE = { shared: 50, alone: 1_000 };
/** Milliseconds between heartbeats. */
const TOUCH = 1_000;
/** Assumed maximum duration of a job without experience, milliseconds. */
const LONGEST_FIRST_JOB = 10_000;

/** The answer to a request to submit. `job`: another process has a job for the same work. */
export type Taken =
  | 'mine'
  | 'full'
  | { readonly job: string | undefined }
  /** All processes together have used these rate windows up. */
  | { readonly windows: readonly LimitWindow[] };

/** The content of a job list, whichever process requested it. */
export interface SeenList {
  readonly jobs: readonly Job[];
  readonly links: Readonly<Record<string, string>>;
}

/** Milliseconds for which another process's list is as good as one's own. */
const FRESH = 1_000;

/** A list request of any process; `at`: when it began, on the monotonic clock. */
export interface LastLook {
  readonly at: number;
  readonly list: SeenList;
}

export interface SharedQueueTools {
  readonly clock: Clock;
  readonly spots: Spots;
  /** Typical duration of a job, milliseconds; undefined while nothing is known. */
  readonly typical: () => number | undefined;
  /** A dead process left these jobs behind; they may still run. */
  readonly onOrphans: (jobs: readonly string[]) => void;
  /** Sharing became impossible, with the reason. */
  readonly onBroken: (why: string) => void;
}

/**
 * The queue of one caller, shared by all processes on this machine: together they never hold more jobs than
 * the caller may; no two submit the same picture; a list that one requests serves all. Stored in a file in
 * the data folder, with one row per process.
 */
export class SharedQueue {
  readonly #file: QueueFile;
  readonly #tools: SharedQueueTools;
  readonly #parties = new Parties();
  readonly #name = `${process.pid}.${randomBytes(4).toString('hex')}`;
  readonly #startedAt: number;
  /** Submissions that dead processes had in flight; `until`: lists requested before then may lack their jobs. */
  #abandoned: readonly { readonly spots: number; readonly until: number }[] = [];
  #wants = false;
  /** When the newest known list was requested, on the wall clock. */
  #heardAt = 0;

  static async open(folder: string, tools: SharedQueueTools): Promise<SharedQueue> {
    return new SharedQueue(await QueueFile.open(folder, tools.onBroken), tools);
  }

  private constructor(file: QueueFile, tools: SharedQueueTools) {
    this.#file = file;
    this.#tools = tools;
    this.#startedAt = tools.clock.now();
    file.transact((db) => {
      if (this.#read(db).length === 0)
        db.exec('delete from works; delete from windows; update looks set spent = 0');
      this.#write(db, 0);
    }, undefined);
    tools.spots.onChange = () => this.#touch();
  }

  /** Claims a share of the spots, because there is work to submit. */
  enter(): void {
    if (this.#wants) return;
    this.#wants = true;
    this.#touch();
  }

  /** Nothing more will be submitted. Existing jobs stay. */
  leave(): void {
    this.#wants = false;
    this.#touch();
  }

  /** Stops taking other processes' jobs into account; this process's row names the jobs it leaves. */
  close(): void {
    this.#wants = false;
    this.#file.transact((db) => {
      this.#write(db, 0);
      db.prepare('update parties set pid = 0 where name = ?').run(this.#name);
    }, undefined);
    this.#file.close();
  }

  /** Sends heartbeats and notices others' changes, until aborted. */
  async keepUp(onNews: () => void, signal: AbortSignal): Promise<void> {
    const { clock } = this.#tools;
    let { version } = this.#file;
    let touchedAt = clock.monotonic();
    for (;;) {
      await clock.sleep(this.#parties.list.length > 0 ? NOTICE.shared : NOTICE.alone, signal);
      const isDue = clock.monotonic() - touchedAt >= TOUCH;
      if (isDue) touchedAt = clock.monotonic();
      const { version: now } = this.#file;
      if (isDue || now !== version) this.#catchUp({ touch: isDue });
      if (now !== version) onNews();
      version = now;
    }
  }

  /** Takes a spot if one of `limit` is free and within this process's share. `key`: the work to submit. */
  take(limit: number, key: string | undefined): Taken {
    const { spots, clock } = this.#tools;
    const isOpen = spots.ours + spots.others < limit;
    return this.#file.transact<Taken>(
      (db) => {
        this.#read(db);
        const held = key === undefined ? undefined : this.#heldElsewhere(db, key);
        if (held) return held;
        const others = this.#parties.held(spots.jobs) + this.strangers + this.#abandonedSpots;
        const isFree = spots.ours + others < limit;
        if (!isFree || spots.ours >= this.#parties.share(limit, this.#name, clock.now())) return 'full';
        const windows = countSubmission(db, this.#windowState(spots.unsure.size));
        if (windows.length > 0) return { windows };
        this.#write(db, 1);
        if (key !== undefined) this.#remember(db, key, undefined);
        return 'mine';
      },
      isOpen ? 'mine' : 'full',
    );
  }

  /** The submission became a job; undefined: it did not, so others may try. */
  became(key: string, job: string | undefined): void {
    this.#file.transact((db) => {
      if (job !== undefined) this.#remember(db, key, job);
      else db.prepare('delete from works where key = ? and party = ?').run(key, this.#name);
    }, undefined);
  }

  /** The answer to a submission of this process, which still counts as in flight, names these rate windows. */
  heardWindows(windows: readonly LimitWindow[]): void {
    if (windows.length === 0) return;
    this.#file.transact((db) => {
      this.#read(db);
      recordWindows(db, windows, this.#windowState(this.#tools.spots.unsure.size - 1));
    }, undefined);
  }

  #windowState(ownInFlight: number): WindowState {
    const { list } = this.#parties;
    const inFlight = ownInFlight + list.reduce((sum, { unsure }) => sum + unsure, 0);
    return { now: this.#tools.clock.now(), inFlight, isAlone: list.length === 0 };
  }

  /** Jobs of the caller that no process on this machine has, according to the last list. */
  get strangers(): number {
    return this.#tools.spots.strangers((id) => this.#parties.isLocal(id));
  }

  /** When a list will show what became of dead processes' last submissions, on the monotonic clock. */
  get settledAt(): number | undefined {
    if (this.#abandonedSpots === 0) return undefined;
    const { clock } = this.#tools;
    return Math.max(...this.#abandoned.map(({ until }) => until)) + clock.monotonic() - clock.now();
  }

  /** They count until a list is sure to show them, or at the latest when the dead process's row is forgotten. */
  get #abandonedSpots(): number {
    const now = this.#tools.clock.now();
    this.#abandoned = this.#abandoned.filter(({ until }) => until + REMEMBERED > now);
    return this.#abandoned.reduce((sum, { spots }) => sum + spots, 0);
  }

  /** The caller's pending jobs, as far as known. */
  get pending(): number {
    const { jobs } = this.#tools.spots;
    return jobs.size + this.#parties.jobs(jobs).length + this.strangers;
  }

  /** Whether the job is, or was, another process's. */
  isElsewhere(id: string): boolean {
    return this.#parties.isLocal(id);
  }

  /** The typical duration of a job according to other processes, milliseconds. */
  get typical(): number | undefined {
    return this.#parties.typical;
  }

  /** Jobs of the other processes. */
  get otherJobs(): readonly Underway[] {
    const { clock, spots } = this.#tools;
    const shift = clock.monotonic() - clock.now();
    return this.#parties.jobs(spots.jobs).map(({ at, eta }) => ({ acceptedAt: at + shift, eta }));
  }

  /** A newer list from another process, if there is one. */
  takeNews(): LastLook | undefined {
    const { clock } = this.#tools;
    return this.#file.transact((db) => {
      const { asked_at: askedAt, body } = db.prepare('select asked_at, body from looks').get() ?? {};
      const age = clock.now() - Number(askedAt);
      if (age < 0 || age >= FRESH || Number(askedAt) <= this.#heardAt) return undefined;
      this.#heard(Number(askedAt));
      return { at: clock.monotonic() - age, list: JSON.parse(String(body)) as SeenList };
    }, undefined);
  }

  /**
   * Milliseconds until this process may request the list; 0: it must do so now and report when it is done.
   * Together, several processes request it no more often than one would. `isUrgent`: only the minimum pause
   * between two requests applies, not the average.
   */
  tryLook({ isUrgent }: { isUrgent: boolean }): number {
    const { clock } = this.#tools;
    return this.#file.transact((db) => {
      const isShared = this.#read(db).length > 0;
      const { party, age, until, spent } = this.#lastLook(db);
      const typical = this.#usual;
      const account = { age, spent: isUrgent ? 0 : spent, typical };
      const isOwn = party === this.#name || party === '';
      if (isShared && until > clock.now() && !isOwn && this.#parties.isThere(party)) return UNDERWAY_PAUSE;
      const wait = age < 0 || (!isShared && isOwn) ? 0 : untilLook(account);
      if (wait > 0) return wait;
      db.prepare('update looks set party = ?, until = ?, spent = ?').run(
        this.#name,
        clock.now() + LOOK_LEASE,
        spentBy(account),
      );
      return 0;
    }, 0);
  }

  /** The result of the list request that began `age` milliseconds ago; undefined: it failed. */
  endLook(age: number, list: SeenList | undefined): void {
    this.#file.transact((db) => {
      db.exec('update looks set until = 0');
      if (!list) return;
      this.#heard(this.#tools.clock.now() - age);
      db.prepare('update looks set asked_at = ?, body = ?').run(this.#heardAt, JSON.stringify(list));
    }, undefined);
  }

  /** A list is known that was requested at this time on the wall clock. */
  #heard(askedAt: number): void {
    this.#heardAt = askedAt;
    this.#abandoned = this.#abandoned.filter(({ until }) => until > askedAt);
  }

  #lastLook(db: DatabaseSync) {
    const { clock } = this.#tools;
    const row = db.prepare('select party, asked_at, until, spent from looks').get() ?? {};
    return {
      party: String(row['party']),
      age: clock.now() - Number(row['asked_at']),
      until: Number(row['until']),
      spent: Number(row['spent']),
    };
  }

  /** The minimum duration of a job: the age of the oldest one, unless that one is stuck. */
  get #usual(): number | undefined {
    const { clock, spots, typical } = this.#tools;
    const jobs = [...spots.jobs.values(), ...this.otherJobs];
    const oldest = Math.max(0, ...jobs.map(({ acceptedAt }) => clock.monotonic() - acceptedAt));
    const learned = longer(typical(), this.#parties.typical);
    if (learned === undefined) return oldest === 0 ? undefined : Math.min(oldest, LONGEST_FIRST_JOB);
    return oldest > LONG_JOB ? Math.max(learned, Math.min(oldest, 2 * learned)) : learned;
  }

  #touch(): void {
    this.#catchUp({ touch: true });
  }

  #catchUp({ touch }: { touch: boolean }): void {
    this.#file.transact((db) => {
      this.#read(db);
      if (touch) this.#write(db, 0);
    }, undefined);
  }

  #heldElsewhere(db: DatabaseSync, key: string): Taken | undefined {
    const row = db.prepare('select party, job, at from works where key = ?').get(key);
    const party = String(row?.['party']);
    if (!row || party === this.#name) return undefined;
    const isThere = this.#parties.isThere(party);
    const isOfOurTime = isThere || this.#parties.wasThere(party) || Number(row['at']) >= this.#startedAt;
    if (typeof row['job'] === 'string') return isOfOurTime ? { job: row['job'] } : undefined;
    return isThere || this.#abandonedSpots > 0 ? { job: undefined } : undefined;
  }

  #remember(db: DatabaseSync, key: string, job: string | undefined): void {
    const at = this.#tools.clock.now();
    db.prepare('insert or replace into works (key, party, job, at) values (?, ?, ?, ?)').run(
      key,
      this.#name,
      job ?? null,
      at,
    );
  }

  /** The other processes that are there. */
  #read(db: DatabaseSync): readonly Party[] {
    const now = this.#tools.clock.now();
    db.prepare('delete from parties where abs(touched - ?) > ? and name <> ?').run(
      now,
      REMEMBERED,
      this.#name,
    );
    const rows = db.prepare('select * from parties where name <> ?').all(this.#name);
    const parties = rows.map((row) => ({ party: partyIn(row), isAlive: this.#isAlive(row) }));
    const living = parties.filter(({ isAlive }) => isAlive).map(({ party }) => party);
    const gone = parties.filter(({ isAlive }) => !isAlive).map(({ party }) => party);
    this.#bury(this.#parties.saw(living, gone));
    return living;
  }

  /** Their jobs may still run, and their submissions in flight may have become jobs. */
  #bury(gone: readonly Party[]): void {
    const until = this.#tools.clock.now() + SETTLING;
    const left = gone.filter(({ unsure, jobs }) => unsure + jobs.length > 0);
    this.#abandoned = [...this.#abandoned, ...left.map(({ unsure }) => ({ spots: unsure, until }))];
    if (left.length > 0) this.#tools.onOrphans(left.flatMap(({ jobs }) => jobs.map(({ id }) => id)));
  }

  /** Process ids are valid only on their own host; in containers every run may have the same one. */
  #isAlive({ host, pid, touched }: Readonly<Record<string, unknown>>): boolean {
    if (Number(pid) <= 0 || Math.abs(this.#tools.clock.now() - Number(touched)) >= STALE) return false;
    return host !== hostname() || processExists(Number(pid));
  }

  #write(db: DatabaseSync, taking: number): void {
    const { clock, spots } = this.#tools;
    const shift = clock.now() - clock.monotonic();
    const jobs = [...spots.jobs.values()].map(({ id, acceptedAt, eta }) => ({
      id,
      at: acceptedAt + shift,
      eta,
    }));
    db.prepare(
      `insert or replace into parties (name, host, pid, touched, wants, unsure, jobs, typical)
        values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      this.#name,
      hostname(),
      process.pid,
      clock.now(),
      Number(this.#wants),
      spots.unsure.size + taking,
      JSON.stringify(jobs),
      this.#tools.typical() ?? null,
    );
  }
}

function longer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function partyIn(row: Readonly<Record<string, unknown>>): Party {
  return {
    name: String(row['name']),
    wants: row['wants'] === 1,
    unsure: Number(row['unsure']),
    jobs: JSON.parse(String(row['jobs'])) as PartyJob[],
    typical: typeof row['typical'] === 'number' ? row['typical'] : undefined,
  };
}
