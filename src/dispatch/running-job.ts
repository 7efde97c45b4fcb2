import type { CallOptions, JobAnswer, SkinOptions, SkinSource } from '../client/types.ts';
import type { SkinVisibility } from '../protocol/skin.ts';
import type { UnknownJobReport } from './service-memory.ts';

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
  /** When such a poll was last answered; absent: never. */
  readonly answeredAt?: number | undefined;
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

/** When the job may be polled singly again. The service got the last poll at some time before it answered. */
export function pollableAt({ polledAt, answeredAt = 0, absent }: RunningJob): number {
  if (polledAt === undefined) return 0;
  const missing = absent ? absent.at - absent.since : 0;
  return Math.max(polledAt, answeredAt) + Math.max(POLL_GAP, ABSENT_GROWTH * missing);
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
