import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { LimitWindow } from '../client/rate-limits.ts';
import type { CallerQueue, CountedSlots, LastLook, SeenList, SlotClaim } from './limits.ts';
import { LONG_JOB, type RunningJob } from './look-times.ts';
import {
  AbandonedSubmissions,
  deleteWork,
  type Peer,
  Peers,
  type QueueDb,
  QueueFile,
  readPeers,
  readWork,
  writeGone,
  writeOwnRow,
  writeWork,
} from './peers.ts';

/** Milliseconds by which two processes may differ about the end of the same window. */
const SAME_END = 2_000;

interface Row {
  readonly span: number;
  readonly allowed: number;
  readonly left: number;
  readonly endsAt: number;
}

export interface WindowState {
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly now: number;
  /** Submissions of all processes that are not answered yet, except the one in question. */
  readonly inFlight: number;
  /** Whether no other process is there, so that no other submissions have to be counted. */
  readonly isAlone: boolean;
}

/**
 * Counts a submission in the caller's rate windows, for all processes on this machine.
 * @returns the exhausted windows; if there are any, the submission must wait
 */
export function countSubmission(db: QueueDb, state: WindowState): readonly LimitWindow[] {
  const rows = readRows(db).map((row) => renewed(row, state));
  const exhausted = state.isAlone ? [] : rows.filter(({ left }) => left <= 0);
  const isTaken = exhausted.length === 0;
  for (const row of rows) write(db, isTaken ? { ...row, left: row.left - 1 } : row);
  return exhausted.map(({ span, allowed: limit, endsAt }) => {
    return { span, limit, remaining: 0, endsIn: endsAt - state.now };
  });
}

/**
 * Records the windows that an answer names. Within a window the count only falls: an answer may be older than
 * the ones that other processes have had.
 */
export function recordWindows(
  db: QueueDb,
  windows: readonly LimitWindow[],
  { now, inFlight, isAlone }: WindowState,
): void {
  const rows = new Map(readRows(db).map((row) => [row.span, row]));
  for (const { span, limit: allowed, remaining, endsIn } of windows) {
    if (endsIn === undefined) continue;
    const endsAt = now + endsIn;
    const known = rows.get(span);
    const isSame = !isAlone && known !== undefined && Math.abs(known.endsAt - endsAt) <= SAME_END;
    // Those in flight are counted already in a known window, and may be counted in `remaining` as well.
    const left = isSame ? Math.min(known.left, remaining) : remaining - inFlight;
    write(db, { span, allowed, endsAt, left });
  }
}

/** The row, in the window after it if its own has ended. */
function renewed(row: Row, { now, inFlight }: WindowState): Row {
  const { span, allowed, endsAt } = row;
  if (endsAt > now) return row;
  const missed = Math.floor((now - endsAt) / span) + 1;
  return { ...row, left: allowed - inFlight, endsAt: endsAt + missed * span };
}

function readRows(db: QueueDb): Row[] {
  const select = db.prepare('select span, allowed, left_over as "left", ends_at as endsAt from windows');
  return select.all() as unknown as Row[]; // the table is strict
}

function write(db: QueueDb, { span, allowed, left, endsAt }: Row): void {
  const insert = 'insert or replace into windows (span, allowed, left_over, ends_at) values (?, ?, ?, ?)';
  db.prepare(insert).run(span, allowed, left, endsAt);
}

/** Milliseconds between reads of the file: while others are known, and otherwise. */
const NOTICE = { shared: 50, alone: 1_000 };
/** Milliseconds between heartbeats. */
const TOUCH = 1_000;
/** Assumed maximum duration of a job without experience, milliseconds. */
const LONGEST_FIRST_JOB = 10_000;

export interface SharedQueueOptions {
  readonly clock: Clock;
  readonly slots: CountedSlots;
  /** Typical duration of a job, milliseconds; undefined while nothing is known. */
  readonly typical: () => number | undefined;
  /** Whether the job is, or was, one of this process. */
  readonly isOwnJob: (id: string) => boolean;
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
export class SharedQueue implements CallerQueue {
  readonly #file: QueueFile;
  readonly #ports: SharedQueueOptions;
  readonly #peers = new Peers();
  readonly #name = `${process.pid}.${randomBytes(4).toString('hex')}`;
  readonly #startedAt: number;
  readonly #abandoned: AbandonedSubmissions;
  readonly #lists: SharedLists;
  #wants = false;

  static async open(folder: string, ports: SharedQueueOptions): Promise<SharedQueue> {
    return new SharedQueue(await QueueFile.open(folder, ports.onBroken), ports);
  }

  private constructor(file: QueueFile, ports: SharedQueueOptions) {
    this.#file = file;
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
    const isOurs = (id: string) => ports.slots.jobs.has(id) || ports.isOwnJob(id);
    this.#abandoned = new AbandonedSubmissions((id) => isOurs(id) || this.#peers.isLocal(id));
    this.#lists = new SharedLists({
      file,
      clock: ports.clock,
      name: this.#name,
      peers: this.#peers,
      readPeers: (db) => this.#read(db),
      usual: () => this.#usual,
      onHeard: (askedAt, { jobs }) => this.#abandoned.listed(askedAt, jobs),
    });
    file.transact((db) => {
      this.#read(db);
      if (this.#peers.list.length === 0)
        db.exec('delete from works; delete from windows; update looks set spent = 0');
      this.#write(db, 0);
    }, undefined);
    ports.slots.onChange = () => this.#catchUp({ touch: true });
  }

  enter(): void {
    if (this.#wants) return;
    this.#wants = true;
    this.#catchUp({ touch: true });
  }

  leave(): void {
    this.#wants = false;
    this.#catchUp({ touch: true });
  }

  /** Stops taking other processes' jobs into account; this process's row names the jobs it leaves. */
  close(): void {
    this.#wants = false;
    this.#file.transact((db) => {
      this.#write(db, 0);
      writeGone(db, this.#name);
    }, undefined);
    this.#file.close();
  }

  /** Sends heartbeats and notices others' changes, until aborted. */
  async keepUp(onNews: () => void, signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    let { version } = this.#file;
    let touchedAt = clock.monotonic();
    for (;;) {
      await clock.sleep(this.isShared ? NOTICE.shared : NOTICE.alone, signal);
      const isDue = clock.monotonic() - touchedAt >= TOUCH;
      if (isDue) touchedAt = clock.monotonic();
      const { version: now } = this.#file;
      if (isDue || now !== version) this.#catchUp({ touch: isDue });
      if (now !== version) onNews();
      version = now;
    }
  }

  take(limit: number, key: string | undefined): SlotClaim {
    const { slots, clock } = this.#ports;
    const isOpen = slots.ours + slots.others < limit;
    return this.#file.transact<SlotClaim>(
      (db) => {
        this.#read(db);
        const held = key === undefined ? undefined : this.#heldElsewhere(db, key);
        if (held) return held;
        const others = this.#peers.held(slots.jobs) + this.foreignJobs + this.#abandonedSlots;
        const isFree = slots.ours + others < limit;
        if (!isFree || slots.ours >= this.#peers.share(limit, this.#name, clock.now())) return 'full';
        const windows = countSubmission(db, this.#windowState(slots.unsure.size));
        if (windows.length > 0) return { windows };
        this.#write(db, 1);
        if (key !== undefined) this.#remember(db, key, undefined);
        return 'mine';
      },
      isOpen ? 'mine' : 'full',
    );
  }

  became(key: string, job: string | undefined): void {
    this.#file.transact((db) => {
      if (job !== undefined) this.#remember(db, key, job);
      else deleteWork(db, key, this.#name);
    }, undefined);
  }

  heardWindows(windows: readonly LimitWindow[]): void {
    if (windows.length === 0) return;
    this.#file.transact((db) => {
      this.#read(db);
      recordWindows(db, windows, this.#windowState(this.#ports.slots.unsure.size - 1));
    }, undefined);
  }

  #windowState(ownInFlight: number): WindowState {
    const { list } = this.#peers;
    const inFlight = ownInFlight + list.reduce((sum, { unsure }) => sum + unsure, 0);
    return { now: this.#ports.clock.now(), inFlight, isAlone: list.length === 0 };
  }

  get isShared(): boolean {
    return this.#peers.list.length > 0;
  }

  get foreignJobs(): number {
    return this.#ports.slots.foreignJobs((id) => this.#peers.isLocal(id));
  }

  get settledAt(): number | undefined {
    const { clock } = this.#ports;
    const at = this.#abandoned.settledAt(clock.now());
    return at === undefined ? undefined : at + clock.monotonic() - clock.now();
  }

  get pending(): number {
    const { jobs } = this.#ports.slots;
    return jobs.size + this.#peers.jobs(jobs).length + this.foreignJobs;
  }

  isElsewhere(id: string): boolean {
    return this.#peers.isLocal(id);
  }

  get typical(): number | undefined {
    return this.#peers.typical;
  }

  get otherJobs(): readonly RunningJob[] {
    const { clock, slots } = this.#ports;
    const shift = clock.monotonic() - clock.now();
    return this.#peers.jobs(slots.jobs).map(({ at, eta }) => ({ acceptedAt: at + shift, eta }));
  }

  takeNews(): LastLook | undefined {
    return this.#lists.takeNews();
  }

  /** Together, several processes request it no more often than one would. */
  tryLook(how: { isUrgent: boolean }): number {
    return this.#lists.tryLook(how);
  }

  endLook(age: number, list: SeenList | undefined): void {
    this.#lists.endLook(age, list);
  }

  /** The minimum duration of a job: the age of the oldest one, unless that one is stuck. */
  get #usual(): number | undefined {
    const { clock, slots, typical } = this.#ports;
    const jobs = [...slots.jobs.values(), ...this.otherJobs];
    const oldest = Math.max(0, ...jobs.map(({ acceptedAt }) => clock.monotonic() - acceptedAt));
    const learned = longer(typical(), this.#peers.typical);
    if (learned === undefined) return oldest === 0 ? undefined : Math.min(oldest, LONGEST_FIRST_JOB);
    return oldest > LONG_JOB ? Math.max(learned, Math.min(oldest, 2 * learned)) : learned;
  }

  #catchUp({ touch }: { touch: boolean }): void {
    this.#file.transact((db) => {
      this.#read(db);
      if (touch) this.#write(db, 0);
    }, undefined);
  }

  #heldElsewhere(db: QueueDb, key: string): SlotClaim | undefined {
    const work = readWork(db, key);
    if (!work || work.peer === this.#name) return undefined;
    const { peer, job, at } = work;
    const isThere = this.#peers.isThere(peer);
    const isOfOurTime = isThere || this.#peers.wasThere(peer) || at >= this.#startedAt;
    if (job !== undefined) return isOfOurTime ? { job } : undefined;
    return isThere || this.#abandonedSlots > 0 ? { job: undefined } : undefined;
  }

  #remember(db: QueueDb, key: string, job: string | undefined): void {
    writeWork(db, { key, peer: this.#name, job, at: this.#ports.clock.now() });
  }

  get #abandonedSlots(): number {
    return this.#abandoned.count(this.#ports.clock.now());
  }

  #read(db: QueueDb): void {
    const { living, gone } = readPeers(db, this.#name, this.#ports.clock.now());
    this.#handleDeaths(this.#peers.saw(living, gone));
  }

  /** Their jobs may still run, and their submissions in flight may have become jobs. */
  #handleDeaths(gone: readonly Peer[]): void {
    const left = gone.filter(({ unsure, jobs }) => unsure + jobs.length > 0);
    this.#abandoned.died(left, this.#ports.clock.now(), (name) => this.#peers.wasThere(name));
    if (left.length > 0) this.#ports.onOrphans(left.flatMap(({ jobs }) => jobs.map(({ id }) => id)));
  }

  /** `taking`: submissions that are about to begin. */
  #write(db: QueueDb, taking: number): void {
    const { clock, slots, typical } = this.#ports;
    const shift = clock.now() - clock.monotonic();
    const jobs = [...slots.jobs.values()].map(({ id, acceptedAt, eta }) => {
      return { id, at: acceptedAt + shift, eta };
    });
    const unsure = slots.unsure.size + taking;
    const own = { name: this.#name, wants: this.#wants, unsure, jobs, typical: typical() };
    writeOwnRow(db, own, clock.now());
  }
}

function longer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

/** Average number of list requests that all processes of a caller may make per wave of jobs. */
const PER_WAVE = 1.5;
/** Milliseconds between two requests for long jobs, also while nothing is known: a little over half a second. */
const GAP = 520;
/** At most one request can be saved up, so that two can follow each other. */
const SAVED = 1;

/** When the caller last requested the list, and how much of the budget is spent. */
interface LookAccount {
  /** Milliseconds since the last request. */
  readonly age: number;
  /** Requests not yet earned back by time, as of the last one. */
  readonly spent: number;
  /** Typical duration of a job, milliseconds; undefined while unknown. */
  readonly typical: number | undefined;
}

/** Milliseconds until the next request; 0: now. */
export function untilLook(account: LookAccount): number {
  const { age, typical } = account;
  const gap = typical !== undefined && typical <= LONG_JOB ? 0 : GAP;
  const over = typical === undefined ? 0 : ((spentNow(account) - SAVED) * typical) / PER_WAVE;
  return Math.max(0, Math.ceil(gap - age), Math.ceil(over));
}

/** The spent budget after a request. */
export function spentBy(account: LookAccount): number {
  return Math.min(SAVED + 1, spentNow(account) + 1);
}

function spentNow({ age, spent, typical }: LookAccount): number {
  return typical === undefined ? 0 : Math.max(0, spent - (age * PER_WAVE) / typical);
}

/** Milliseconds between checks whether another process's list request has finished. */
const UNDERWAY_PAUSE = 25;
/** Milliseconds after which an unfinished list request is taken over. */
const LOOK_LEASE = 5_000;
/** Milliseconds for which another process's list is as good as one's own. */
const FRESH = 1_000;

interface SharedListsOptions {
  readonly file: QueueFile;
  readonly clock: Clock;
  /** This process, and the others. */
  readonly name: string;
  readonly peers: Peers;
  /** Reads the other processes' rows. */
  readonly readPeers: (db: QueueDb) => void;
  /** The minimum duration of a job, milliseconds; undefined while nothing is known. */
  readonly usual: () => number | undefined;
  /** A list is known that was requested at this time on the wall clock. */
  readonly onHeard: (askedAt: number, list: SeenList) => void;
}

/** The list of jobs, requested by one process for all. */
export class SharedLists {
  readonly #options: SharedListsOptions;
  /** When the newest known list was requested, on the wall clock. */
  #heardAt = 0;

  constructor(options: SharedListsOptions) {
    this.#options = options;
  }

  /** A newer list from another process, if there is one. */
  takeNews(): LastLook | undefined {
    const { file, clock } = this.#options;
    return file.transact((db) => {
      const { asked_at: askedAt, body } = db.prepare('select asked_at, body from looks').get() ?? {};
      const age = clock.now() - Number(askedAt);
      if (age < 0 || age >= FRESH || Number(askedAt) <= this.#heardAt) return undefined;
      const list = JSON.parse(String(body)) as SeenList;
      this.#heard(Number(askedAt), list);
      return { at: clock.monotonic() - age, list };
    }, undefined);
  }

  /** See `SharedQueue.tryLook`. */
  tryLook({ isUrgent }: { isUrgent: boolean }): number {
    const { file, clock, name, peers, readPeers, usual } = this.#options;
    return file.transact((db) => {
      readPeers(db);
      const isShared = peers.list.length > 0;
      const { peer, age, until, spent } = this.#lastLook(db);
      const account = { age, spent: isUrgent ? 0 : spent, typical: usual() };
      const isOwn = peer === name || peer === '';
      if (isShared && until > clock.now() && !isOwn && peers.isThere(peer)) return UNDERWAY_PAUSE;
      const wait = age < 0 || (!isShared && isOwn) ? 0 : untilLook(account);
      if (wait > 0) return wait;
      const update = db.prepare('update looks set peer = ?, until = ?, spent = ?');
      update.run(name, clock.now() + LOOK_LEASE, spentBy(account));
      return 0;
    }, 0);
  }

  /** The result of the list request that began `age` milliseconds ago; undefined: it failed. */
  endLook(age: number, list: SeenList | undefined): void {
    const { file, clock } = this.#options;
    file.transact((db) => {
      db.exec('update looks set until = 0');
      if (!list) return;
      this.#heard(clock.now() - age, list);
      db.prepare('update looks set asked_at = ?, body = ?').run(this.#heardAt, JSON.stringify(list));
    }, undefined);
  }

  #heard(askedAt: number, list: SeenList): void {
    this.#heardAt = askedAt;
    this.#options.onHeard(askedAt, list);
  }

  #lastLook(db: QueueDb) {
    const row = db.prepare('select peer, asked_at, until, spent from looks').get() ?? {};
    return {
      peer: String(row['peer']),
      age: this.#options.clock.now() - Number(row['asked_at']),
      until: Number(row['until']),
      spent: Number(row['spent']),
    };
  }
}
