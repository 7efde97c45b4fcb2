import { classifyFailure } from '../client/errors.ts';
import type { CallOptions, JobAnswer, SkinOptions, SkinSource } from '../client/types.ts';
import type { SkinVisibility } from '../protocol/skin.ts';

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

/** The content of a submission. */
export interface SkinRequest {
  readonly source: SkinSource;
  readonly options: SkinOptions;
}

/** Records each submission before it is sent, so that none is sent twice after a crash. */
export interface SubmissionRecord {
  /** A submission is about to be sent. `mark`: creation time of the newest job known, on the service's clock. */
  intent(key: string, attempt: number, mark: number): void;
  /** Resolves once all that was recorded survives a power cut. Absent: it need not. */
  readonly flushed?: (() => Promise<void>) | undefined;
  /** It certainly became no job. */
  refused(key: string): void;
}

/** What the caller knows about its own submissions. */
export interface OwnSubmissions<W extends Submission> {
  /** Whether one of them became this job. */
  isOwnJob(id: string): boolean;
  /** The same for each repetition of one attempt. */
  idempotencyKey(work: W): string;
}

/** Its identity for other processes: each attempt is a job of its own. */
export function sharedKey({ key, attempt }: Submission): string {
  return `${key} ${attempt}`;
}

/** The dispatcher repeats requests by its own rules, which consider all of them and know each lost answer. */
export const ONE_ATTEMPT = { retry: { budget: 0, patience: 0 } } as const satisfies CallOptions;

/** What is known of a running job. All times are milliseconds of one monotonic clock. */
export interface RunningJob {
  /** When the service accepted it. */
  readonly acceptedAt: number;
  /** The service's estimate of its duration from then on, if given. */
  readonly eta: number | undefined;
  /** When it was last seen unfinished; absent: when it was accepted. */
  readonly seenAt?: number | undefined;
  /** When it was last polled singly; absent: never. */
  readonly polledAt?: number | undefined;
  /** The service did not know it when it was last polled. */
  readonly absent?: UnknownJobReport | undefined;
}

export interface LookState {
  readonly now: number;
  /** When the last list request began. */
  readonly lastLook: number;
  /** Duration of a short request, milliseconds. */
  readonly roundTrip: number;
  /** Whether all jobs in the queue are this process's own, so that no other process needs a list. */
  readonly isAlone?: boolean;
  /** When a list last showed jobs of others; absent: never. */
  readonly othersAt?: number | undefined;
}

/** Milliseconds; jobs that take longer are called long, and the list is requested at most twice a second for them. */
export const LONG_JOB = 1_000;
/** An eta further off than this is ignored: a wrong clock, or seconds instead of milliseconds. */
const PLAUSIBLE_ETA = 60_000;
/** Minimum pause between two polls of the same job. */
const POLL_GAP = 1_000;

export function isPlausible(eta: number | undefined): eta is number {
  return eta !== undefined && eta > 0 && eta <= PLAUSIBLE_ETA;
}

/** The pause grows by this part of the time for which the service has not known the job. */
const ABSENT_GROWTH = 0.25;

/** When the job may be polled singly again. */
export function pollableAt({ polledAt, absent }: RunningJob): number {
  if (polledAt === undefined) return 0;
  const missing = absent ? absent.at - absent.since : 0;
  return polledAt + Math.max(POLL_GAP, ABSENT_GROWTH * missing);
}

/**
 * How long a job took, milliseconds. `isReported`: taken from the service's own times, not from when its end was noticed.
 */
interface JobDuration {
  readonly duration: number;
  readonly isReported: boolean;
}

/** The duration of a job that had ended `at`: by the service's own times if it gives them and they are possible. */
export function jobDuration(
  job: RunningJob,
  { job: { timestamp }, skin }: Pick<JobAnswer, 'job' | 'skin'>,
  at: number,
  least: number | undefined,
): JobDuration {
  const end = skin?.generator?.timestamp;
  const longest = at - job.acceptedAt;
  const reported = (end ?? Number.NaN) - (timestamp ?? Number.NaN);
  const isReported = reported >= 0 && reported <= longest;
  return { duration: isReported ? reported : longest - unseen(job, at, least) / 2, isReported };
}

/** How long the job may have been over before it was noticed: since it was last seen, or since the shortest time known. */
function unseen({ acceptedAt, seenAt }: RunningJob, at: number, least: number | undefined): number {
  const shortest = least === undefined ? at : acceptedAt + least;
  return Math.max(0, at - (seenAt ?? shortest));
}

/** Number of samples kept, which show how far values spread; older ones are dropped. */
const KEPT = 48;
/** Only the last samples tell what is usual, since a service may become slower or faster. */
const RECENT = 16;
/** One sample is exceeded by up to this part of it, many by less. */
const BEYOND = 0.5;

/** The last few samples of one quantity. */
export class RecentSamples {
  #samples: readonly number[] = [];
  /** The last of them, the smallest first. */
  #recent: readonly number[] = [];

  add(sample: number): void {
    this.#samples = [...this.#samples, sample].slice(-KEPT);
    this.#recent = this.#samples.slice(-RECENT).toSorted((a, b) => a - b);
  }

  get count(): number {
    return this.#samples.length;
  }

  get least(): number | undefined {
    return this.#quantile(0);
  }

  /** The smallest of all kept samples. */
  get leastOfAll(): number | undefined {
    return this.#samples.length === 0 ? undefined : Math.min(...this.#samples);
  }

  get median(): number | undefined {
    return this.#quantile(0.5);
  }

  /** An upper bound of most samples, so that a poll aimed at it finds the whole wave. */
  get high(): number | undefined {
    return this.#quantile(0.9);
  }

  get spread(): number {
    return (this.#quantile(0.9) ?? 0) - (this.#quantile(0.1) ?? 0);
  }

  /**
   * How probable it is that a quantity known to be above `least` is at most `value`. It may well be beyond all samples,
   * the further the fewer there are.
   */
  probability(value: number, least: number): number {
    let [above, within, known] = [0, 0, least];
    for (const sample of this.#samples) {
      if (sample > least) above++;
      if (sample > least && sample <= value) within++;
      known = Math.max(known, sample);
    }
    const reach = (BEYOND * known) / (above > 0 ? Math.sqrt(this.count) : 1);
    const beyond = Math.max(0, value - known) / Math.max(1, reach);
    return (within + Math.min(1, beyond)) / (above + 1);
  }

  #quantile(q: number): number | undefined {
    return this.#recent[Math.floor(q * (this.#recent.length - 1) + 0.5)];
  }
}

/** Milliseconds that a service may need to take in a submission whose answer was lost, and to list its job. */
const SETTLES_SOON = 5_000;
/** The same after a request that timed out: the service may have been processing it. */
export const SETTLES_LATE = 15_000;
/** Milliseconds after a process wrote that it was about to submit, and died: as long as a request may take. */
const SETTLES_AFTER_DEATH = 20_000;
/** Milliseconds after which a job that only another key's list shows has probably ended: the service then knows the picture. */
const ENDS_UNSEEN = 60_000;

/** Milliseconds after which a job that no list has shown is no longer expected there: lists may drop jobs that have ended. */
export const LONGEST_LAG = 60_000;
/** Milliseconds for which a job must be missing before it counts as forgotten, by default, and the least number of answers that lack it. */
const FORGOTTEN = 10_000;
const LEAST_MISSES = 4;

/** Milliseconds from the loss of an answer until the job is listed, if the submission became one and the list does not lag. */
export function settlingTime(error: unknown): number {
  return classifyFailure(error)?.isLate ? SETTLES_LATE : SETTLES_SOON;
}

/**
 * The same for a submission that a process made, at the latest, `age` milliseconds ago, before it died.
 * `isOtherKeys`: with another key, so that it may never be listed.
 */
export function settlingTimeAfterDeath(age: number, { isOtherKeys = false } = {}): number {
  return Math.max(SETTLES_SOON, (isOtherKeys ? ENDS_UNSEEN : SETTLES_AFTER_DEATH) - Math.max(0, age));
}

/** The service says that it does not know a job. Times: milliseconds of one monotonic clock. */
export interface UnknownJobReport {
  /** When it should have known the job for the first time. */
  readonly since: number;
  /** When it last said so. */
  readonly at: number;
  /** Number of such answers in a row. */
  readonly times: number;
}

/**
 * How long answers of the service may lack a job that it has: it may have several parts of which some are behind, or
 * have just been restarted. Learned from jobs that were missing and came back.
 */
export class Lag {
  readonly #patience: number;
  /** Our jobs that no list has shown, each with when it was accepted and the request of the last list that lacked it. */
  readonly #unlisted = new Map<string, { readonly acceptedAt: number; lackedAt: number }>();
  /** The longest time for which a job was missing that came back, milliseconds. */
  #longest = 0;
  /** For how long the newest list has lacked one of ours that no list has shown. */
  #current = 0;
  #isListTorn = false;

  /** `patience`: milliseconds for which a job must be missing to count as forgotten. */
  constructor(patience = FORGOTTEN) {
    this.#patience = patience;
  }

  /** Whether the newest list lacks a job of ours that an earlier one showed: it proves nothing about others. */
  get isListTorn(): boolean {
    return this.#isListTorn;
  }

  /** The service has accepted the job: lists should show it from now on. */
  accepted(id: string, at: number): void {
    this.#unlisted.set(id, { acceptedAt: at, lackedAt: at });
  }

  /** A list that was requested `at` shows these jobs. `open`: those of ours that have not ended as far as known. */
  sawList(shown: ReadonlySet<string>, at: number, open: readonly string[]): void {
    this.#isListTorn = open.some((id) => !shown.has(id) && !this.#unlisted.has(id));
    this.#current = 0;
    for (const [id, job] of this.#unlisted) {
      if (shown.has(id)) this.#learn(job.lackedAt - job.acceptedAt);
      else if (at > job.acceptedAt) job.lackedAt = at;
      const lacking = job.lackedAt - job.acceptedAt;
      if (shown.has(id) || lacking > LONGEST_LAG) this.#unlisted.delete(id);
      else this.#current = Math.max(this.#current, lacking);
    }
  }

  /** An answer shows this job: it may have been missing. */
  found(job: { absent?: UnknownJobReport | undefined }): void {
    if (!job.absent) return;
    this.#learn(job.absent.at - job.absent.since);
    job.absent = undefined;
  }

  /** Whether the job has been missing for so long that the service must have forgotten it. */
  isForgotten({ since, at, times }: UnknownJobReport): boolean {
    return times >= LEAST_MISSES && at - since >= this.#patience + 2 * this.#longest;
  }

  /** The job counts as forgotten: no list is expected to show it. */
  forget(id: string): void {
    this.#unlisted.delete(id);
  }

  /** Milliseconds until a list shows a job that would be listed in `usual` milliseconds at a service that does not lag. */
  listedIn(usual: number): number {
    return usual + 2 * Math.max(this.#longest, this.#current);
  }

  #learn(ms: number): void {
    this.#longest = Math.max(this.#longest, Math.min(ms, LONGEST_LAG));
  }
}
