import type { Clock } from '../base/clock.ts';
import type { Job } from '../protocol/job.ts';
import type { Peers } from './peers.ts';
import type { QueueDb, QueueFile } from './queue-file.ts';
import { LONG_JOB, type RunningJob } from './running-job.ts';

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

/** The content of a job list, whichever process requested it. */
export interface SeenList {
  readonly jobs: readonly Job[];
  readonly links: Readonly<Record<string, string>>;
}

/** A list request of any process; `at`: when it began, on the monotonic clock. */
export interface LastLook {
  readonly at: number;
  readonly list: SeenList;
}

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

/** What other processes of the same caller do on the service, as far as it matters to the lists and jobs of this one. */
export interface OtherProcesses {
  /** Whether there are any, with jobs or without. */
  readonly isShared: boolean;
  /** Jobs of the caller that no process here has, according to the last list. */
  readonly foreignJobs: number;
  /** Milliseconds between lists while only foreign jobs are pending; absent: half a job's duration. */
  readonly foreignJobsPause?: number;
  /** Jobs of the other processes. */
  readonly otherJobs: readonly RunningJob[];
  /** When a list will show what became of dead processes' last submissions, on the monotonic clock. */
  readonly settledAt: number | undefined;
  /** The typical duration of a job according to other processes, milliseconds. */
  readonly typical: number | undefined;
  /** Whether the job is, or was, another process's. */
  isElsewhere(id: string): boolean;
  /** Learns what they have done by now; a list that has arrived is judged after that. Absent: it is always known. */
  catchUp?(): Promise<void>;
  /** A newer list from another process, if there is one. */
  takeNews(): LastLook | undefined;
  /**
   * Milliseconds until this process may request the list; 0: it must do so now and report when it is done.
   * `isUrgent`: only the minimum pause between two requests applies, not the average.
   */
  tryLook(how: { isUrgent: boolean }): number;
  /** The result of the list request that began `age` milliseconds ago; undefined: it failed. */
  endLook(age: number, list: SeenList | undefined): void;
}
