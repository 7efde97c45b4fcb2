import type { SkinVisibility } from '../../protocol/skin.ts';
import type { JobRow, UsageRow } from '../store/tables.ts';

/** What is to be generated and for whom. */
export interface NewJob {
  readonly uuid: string;
  readonly owner: string;
  /** Names the request: the same owner's same request while pending is the same job. */
  readonly requestKey: string;
  readonly identity: string;
  readonly textureHash: string;
  readonly variant: 'classic' | 'slim';
  readonly visibility: SkinVisibility;
  readonly name: string | null;
  /** The caller's name for this request: when it comes again, it is the same job, ended or not. */
  readonly idempotencyKey?: string | undefined;
}

/** What the caller may have. */
export interface SubmitLimits {
  /** Unfinished jobs at one time. */
  readonly spots: number;
  readonly perMinute: number;
  readonly perHour: number;
}

/** A request whose idempotency key was seen before: for the same, or for another picture or option. */
export type Repeated = { readonly kind: 'repeated'; readonly job: JobRow } | { readonly kind: 'key_taken' };

export type Submission =
  | Repeated
  | { readonly kind: 'queued' | 'joined'; readonly job: JobRow }
  | { readonly kind: 'full'; readonly pending: number }
  | { readonly kind: 'too_fast'; readonly usage: UsageRow };

export type Recorded = Repeated | { readonly kind: 'recorded'; readonly job: JobRow };

/** A job under a worker's lease. */
export interface Lease {
  readonly job: JobRow;
  readonly owner: string;
}

/** Signed data as a generator made it, to be recorded with the job's completion. */
export interface GeneratedData {
  readonly value: string;
  readonly signature: string;
  readonly url: string;
  readonly version: string;
  readonly account: string;
  readonly server: string;
  readonly worker: string;
  /** Milliseconds. */
  readonly duration: number;
}

export interface JobFailure {
  readonly code: string;
  readonly message: string;
  /** Whether another attempt may succeed. */
  readonly passing: boolean;
}

export interface JobQueue {
  /** Accepts a job within the limits, in one step with counting them. */
  submit(job: NewJob, limits: SubmitLimits): Promise<Submission>;
  /** Records a job whose result was known at once. */
  recordKnown(job: NewJob, skinUuid: string): Promise<Recorded>;
  /** The oldest job that may run now, under a lease for `owner`. */
  claim(owner: string): Promise<Lease | undefined>;
  /** Makes the lease last longer. False when it is lost. */
  renew(lease: Lease): Promise<boolean>;
  /** Stores the skin and completes the job, both or neither. False when the lease is lost. */
  complete(lease: Lease, data: GeneratedData): Promise<boolean>;
  /** Ends or postpones the job. False when the lease is lost. */
  fail(lease: Lease, failure: JobFailure): Promise<boolean>;
  /** Gives the job back untouched: the attempt does not count. */
  release(lease: Lease): Promise<boolean>;
  /** Frees jobs whose worker is gone. Answers how many. */
  recover(): Promise<number>;
  find(uuid: string): Promise<JobRow | undefined>;
  /** Those of these jobs that there are. */
  findAll(uuids: readonly string[]): Promise<JobRow[]>;
  /** What an earlier request with the same idempotency key makes of this one; undefined when there is none. */
  findRepeated(job: NewJob): Promise<Repeated | undefined>;
  /** An owner's pending jobs and the `size` newest others, newest first. */
  list(owner: string, size: number): Promise<JobRow[]>;
  /** The first `size` of an owner's jobs numbered higher than `id`, in the order of their acceptance. */
  listAfter(owner: string, id: number, size: number): Promise<JobRow[]>;
  /** How many jobs numbered lower than `id` are waiting: what a worker takes first. */
  waitingBefore(id: number): Promise<number>;
  /** When the next postponed job may run. */
  nextRunAt(): Promise<number | undefined>;
  /** Forgets jobs finished before `before`. */
  prune(before: number): Promise<void>;
}

/** Every setting of the queue that is a number. Milliseconds where it is a time. */
export interface QueueTimes {
  readonly lease: number;
  readonly maxAttempts: number;
  /** Wait before the second attempt; doubled for each further one. */
  readonly retryDelay: number;
}

export const QUEUE_TIMES: QueueTimes = { lease: 15_000, maxAttempts: 5, retryDelay: 1_000 };
