import { backOff } from '../base/clock.ts';
import {
  type CountedSubmission,
  type LimitWindow,
  limitWindows,
  type RetryAdvice,
  refusedWait,
  SubmissionBudget,
} from '../client/rate-limits.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { SkinVisibility } from '../protocol/skin.ts';
import type { RunningJob, UnknownJobReport } from './look-times.ts';
import { LONGEST_WAIT } from './outage.ts';

/**
 * When the caller may send another submission: slots in the queue, which are shared with its other processes, and rate
 * limits.
 */

/** A skin to make, as the dispatcher needs it; its users add what they know about it. */
export interface Submission {
  /** The same for the same picture and options. */
  readonly key: string;
  readonly variant: 'auto' | 'classic' | 'slim';
  /** Undefined: what the service or its user chooses. */
  readonly visibility: SkinVisibility | undefined;
  /** UUID of the cape to combine with it. */
  readonly cape: string | undefined;
  /** Submissions that ended without a skin. */
  attempt: number;
  /** Submissions whose answer was lost. */
  losses: number;
}

/** Its identity for other processes: each attempt is a job of its own. */
export function sharedKey({ key, attempt }: Submission): string {
  return `${key} ${attempt}`;
}

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

/** The answer to a request to submit. `job`: another process has a job for the same work. */
export type SlotClaim =
  | 'mine'
  | 'full'
  | { readonly job: string | undefined }
  /** All processes together have used these rate windows up. */
  | { readonly windows: readonly LimitWindow[] };

/** The queue of one caller, as a dispatcher uses it beside the caller's other processes. */
export interface CallerQueue extends OtherProcesses {
  /** The caller's pending jobs, as far as known. */
  readonly pending: number;
  /** Claims a share of the slots, because there is work to submit. */
  enter(): void;
  /** Nothing more will be submitted. Existing jobs stay. */
  leave(): void;
  /** Stops taking other processes' jobs into account. */
  close(): void;
  /** Notices the changes of other processes, until aborted. */
  keepUp(onNews: () => void, signal: AbortSignal): Promise<void>;
  /** Takes a slot if one of `limit` is free and within this process's share. `key`: the work to submit. */
  take(limit: number, key: string | undefined): SlotClaim;
  /** The submission became a job; undefined: it did not, so others may try. */
  became(key: string, job: string | undefined): void;
  /** The answer to a submission of this process, which still counts as in flight, names these rate windows. */
  heardWindows(windows: readonly LimitWindow[]): void;
}

/** The queue of a caller that shares its slots with no other process, as at an embedded service. */
export class OwnQueue implements CallerQueue {
  readonly isShared = false;
  readonly settledAt = undefined;
  readonly typical = undefined;
  readonly otherJobs = [];
  readonly foreignJobs = 0;
  readonly #slots: CountedSlots;

  constructor(slots: CountedSlots) {
    this.#slots = slots;
  }

  get pending(): number {
    return this.#slots.jobs.size;
  }

  take(limit: number): SlotClaim {
    return this.#slots.ours < limit ? 'mine' : 'full';
  }

  tryLook(): number {
    return 0;
  }

  isElsewhere(): boolean {
    return false;
  }

  takeNews(): undefined {
    return undefined;
  }

  async keepUp(): Promise<void> {}
  enter(): void {}
  leave(): void {}
  close(): void {}
  became(): void {}
  heardWindows(): void {}
  endLook(): void {}
}

/** A job of ours that, as far as we know, has not ended. */
export interface OpenJob<W extends Submission> extends RunningJob {
  readonly id: string;
  readonly work: W;
  /** Whether `acceptedAt` is accurate: for a job from an earlier run it is unknown. */
  readonly isTimed: boolean;
  /** When it was created, on the service's clock, milliseconds since the epoch. */
  readonly timestamp: number | undefined;
  seenAt?: number;
  polledAt?: number;
  answeredAt?: number;
  absent?: UnknownJobReport | undefined;
}

/** The slots of one process, as far as other processes see them. */
export type CountedSlots = Pick<
  Slots<Submission>,
  'jobs' | 'unsure' | 'ours' | 'others' | 'onChange' | 'foreignJobs'
>;

/**
 * The caller's slots in the queue, counted so that they are never exceeded: our jobs, submissions in flight,
 * and jobs that others with the same key have there.
 */
export class Slots<W extends Submission> {
  readonly jobs = new Map<string, OpenJob<W>>();
  /** Submissions in flight, and those whose answer was lost: each may have become a job. */
  readonly unsure = new ObservedSet<W>(() => this.onChange());
  /** Called whenever the number of ours changes. */
  onChange: () => void = () => {};
  /** Ids of jobs, each with when it was last heard of. */
  readonly #others = new Map<string, number>();

  get ours(): number {
    return this.jobs.size + this.unsure.size;
  }

  get others(): number {
    return this.#others.size;
  }

  /** Jobs of others that no process on this machine has. */
  foreignJobs(isLocal: (id: string) => boolean): number {
    return [...this.#others.keys()].filter((id) => !isLocal(id)).length;
  }

  /**
   * Updates from a list: pending jobs that are not ours belong to others. `askedAt`: when it was requested. It may lack
   * jobs that were heard of since.
   */
  sawList(jobs: readonly Job[], askedAt: number): void {
    for (const [id, heardAt] of this.#others) if (heardAt <= askedAt) this.#others.delete(id);
    for (const job of jobs) this.sawJob(job, askedAt);
  }

  /** Updates from one job, in an event or a list. `heardAt`: a list requested later shows it if it is still there. */
  sawJob({ id, status }: Job, heardAt: number): void {
    if (isPending(status) && !this.jobs.has(id)) this.#others.set(id, heardAt);
    else this.#others.delete(id);
  }

  took(job: OpenJob<W>): void {
    this.#others.delete(job.id);
    this.jobs.set(job.id, job); // first, so that the count is never too low
    if (!this.unsure.delete(job.work)) this.onChange();
  }

  freed(id: string): void {
    if (this.jobs.delete(id)) this.onChange();
  }
}

/** A set that reports changes. */
class ObservedSet<T> extends Set<T> {
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    super();
    this.#onChange = onChange;
  }

  override add(value: T): this {
    super.add(value);
    this.#onChange();
    return this;
  }

  override delete(value: T): boolean {
    const wasThere = super.delete(value);
    if (wasThere) this.#onChange();
    return wasThere;
  }
}

/** Slots in the queue that every caller has (the service's specification). */
export const USUAL_SLOTS = 5;

/** Milliseconds before trying one more than is known to fit, doubled after each refusal. */
const FIRST_PROBE = 10_000;
const LONGEST_PROBE = 10 * 60_000;

/**
 * How many jobs the caller may have in the queue: the announced limit until experience contradicts it. A queue
 * that refuses shows what fits; one more is then tried only rarely. Times: milliseconds of a monotonic clock.
 */
export class SlotLimit {
  #announced: number;
  /** The number that fits since the queue refused; undefined: it never refused. */
  #fits: number | undefined;
  /** The highest number that ever fit. */
  #proved = 0;
  #probeAt = 0;
  #probePause = FIRST_PROBE;

  constructor(announced: number) {
    this.#announced = Math.max(1, announced);
  }

  set announced(limit: number) {
    this.#announced = Math.max(1, limit);
  }

  get announced(): number {
    return this.#announced;
  }

  /** The current limit. */
  at(now: number): number {
    if (this.#fits === undefined) return this.#announced;
    return Math.min(this.#announced, now >= this.#probeAt ? this.#fits + 1 : this.#fits);
  }

  /** Jobs that may be in flight at once: an announced limit is not tested all at once. */
  get burst(): number {
    return Math.max(USUAL_SLOTS, this.#proved);
  }

  /** Records that this many were there at the same time. */
  fitted(count: number, now: number): void {
    this.#proved = Math.max(this.#proved, count);
    if (this.#fits === undefined || count <= this.#fits) return;
    this.#fits = count;
    this.#probePause = FIRST_PROBE;
    this.#probeAt = now + FIRST_PROBE;
  }

  /** One more than `count` was refused. */
  refused(count: number, now: number): void {
    const fits = Math.max(1, count);
    const isProbe = this.#fits !== undefined && fits >= this.#fits;
    if (isProbe && now < this.#probeAt) return; // part of the same burst
    this.#probePause = isProbe ? Math.min(LONGEST_PROBE, this.#probePause * 2) : FIRST_PROBE;
    this.#fits = fits;
    this.#probeAt = now + this.#probePause;
  }
}

/** Milliseconds of a pause after a rate limit refusal, if the service gives no time. */
const REFUSED = { first: 500, longest: 15_000 };

/** One moment on two clocks, milliseconds: our monotonic one and the service's time of day. */
export interface ClockReading {
  readonly monotonic: number;
  readonly epoch: number;
}

/**
 * When the next submission may be sent by the service's limits. After an accepted submission only the
 * `remaining` of its windows counts: the queue has no fixed delay, so `next` concerns other requests. Times:
 * milliseconds of a monotonic clock.
 */
export class Pace {
  readonly #random: () => number;
  readonly #budget = new SubmissionBudget();
  readonly #onWindows: (windows: readonly LimitWindow[]) => void;
  #openAt = 0;
  #refusals = 0;
  #isGuess = false;

  /** `onWindows`: receives the windows that each answer names. */
  constructor(random: () => number, onWindows: (windows: readonly LimitWindow[]) => void = () => {}) {
    this.#random = random;
    this.#onWindows = onWindows;
  }

  /** Whether the pause after a refusal was not told: one submission shows whether it was long enough. */
  get isGuess(): boolean {
    return this.#isGuess;
  }

  /** When submissions may be sent; in the past: now. */
  openAt(now: number): number {
    return Math.max(this.#openAt, this.#budget.openAt(now) ?? 0);
  }

  /** When so many more submissions can have been sent, at the earliest. */
  reach(count: number, now: number): number {
    return Math.max(count > 0 ? this.#openAt : now, this.#budget.reach(count, now));
  }

  /** Submissions that may be sent now. */
  left(now: number): number {
    return this.#openAt > now ? 0 : this.#budget.left(now);
  }

  /** A submission is sent; its return value goes to one of the following. */
  sent(now: number): CountedSubmission {
    return this.#budget.sent(now);
  }

  /** It is not sent after all. */
  withdrawn(sent: CountedSubmission): void {
    this.#budget.withdrawn(sent);
  }

  accepted(advice: RetryAdvice, now: ClockReading, sent: CountedSubmission): void {
    this.#refusals = 0;
    this.#isGuess = false;
    this.#heard(advice, now, sent);
  }

  /** Refused by a rate limit. @returns milliseconds to wait; a longer pause already set by the service stays in effect */
  refused(advice: RetryAdvice, now: ClockReading, sent: CountedSubmission): number {
    this.#heard(advice, now, sent);
    if (now.monotonic >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst counts as one refusal
    const given = refusedWait(advice, now.epoch);
    this.#isGuess = given === undefined;
    // Add a margin: clocks and rounding differ, and a second refusal costs more.
    const asked =
      given === undefined ? backOff(this.#refusals, REFUSED, this.#random()) : given + 20 * this.#random();
    this.#openAt = Math.max(this.#openAt, now.monotonic + Math.min(LONGEST_WAIT, asked));
    return Math.max(asked, this.#openAt - now.monotonic);
  }

  /** It was not accepted, or its answer was lost. */
  failed(now: number, sent: CountedSubmission): void {
    this.#budget.answered(sent, now);
  }

  /** Other processes of the caller have used these windows up. */
  usedElsewhere(windows: readonly LimitWindow[], now: number): void {
    const sent = { at: now, answeredAt: now };
    this.#budget.recordWindows(windows, { sent, now });
  }

  #heard({ rateLimit }: RetryAdvice, { epoch, monotonic: now }: ClockReading, sent: CountedSubmission): void {
    const windows = limitWindows(rateLimit, epoch);
    this.#budget.recordWindows(windows, { sent, now });
    this.#budget.answered(sent, now);
    this.#onWindows(windows);
  }
}

/** How long a full queue is assumed to stay full unless a list says otherwise: 300 ms to 5 s, on average. */
const FULL = { first: 400, longest: 6_600, growth: 1.6 };

/** How long submissions wait after the queue refused one because it was full. Times: milliseconds of a monotonic clock. */
export class FullQueue {
  readonly #random: () => number;
  #openAt = 0;
  /** Refusals since the last accepted submission. */
  #refusals = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** When the next submission is worth sending; in the past: now. */
  get openAt(): number {
    return this.#openAt;
  }

  /** Another program was faster. */
  refused(now: number): void {
    if (now >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst counts as one refusal
    this.#openAt = now + backOff(this.#refusals, FULL, this.#random());
  }

  accepted(): void {
    this.#refusals = 0;
  }

  /** A job has ended, so the queue is no longer full. */
  roomSeen(): void {
    this.#openAt = 0;
  }
}
