import { classifyFailure } from '../client/errors.ts';

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
/** Milliseconds for which a job must be missing before it counts as forgotten, and the least number of answers that lack it. */
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
  /** When it was asked last. */
  readonly at: number;
  /** Number of such answers in a row. */
  readonly times: number;
}

/**
 * How long answers of the service may lack a job that it has: it may have several parts of which some are behind, or
 * have just been restarted. Learned from jobs that were missing and came back.
 */
export class Lag {
  /** Our jobs that no list has shown, each with when it was accepted and the request of the last list that lacked it. */
  readonly #unlisted = new Map<string, { readonly acceptedAt: number; lackedAt: number }>();
  /** The longest time for which a job was missing that came back, milliseconds. */
  #longest = 0;
  /** For how long the newest list has lacked one of ours that no list has shown. */
  #current = 0;
  #isListTorn = false;

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
    return times >= LEAST_MISSES && at - since >= FORGOTTEN + 2 * this.#longest;
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
