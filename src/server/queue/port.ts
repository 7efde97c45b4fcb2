import type { SkinVisibility } from '../../protocol/skin.ts';
import type { NewCallback } from '../store/callbacks.ts';
import type { CallerMemory } from '../store/callers.ts';
import type { JobRow, Via } from '../store/tables.ts';

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
  /** Texture of the cape that goes with it. */
  readonly capeHash: string | null;
  readonly via: Via;
  /** The caller's name for this request: when it comes again, it is the same job, ended or not. */
  readonly idempotencyKey?: string | undefined;
  /** Whom to tell when it has ended. */
  readonly callback?: NewCallback | undefined;
}

/** What the caller may have; none of the counts is below 1. */
export interface SubmitLimits {
  /** Unfinished jobs at one time. */
  readonly spots: number;
  readonly perMinute: number;
  readonly perHour: number;
  /** Milliseconds between generations outside the queue. */
  readonly delay: number;
  /** Jobs processed at the same time; also unfinished ones that came by `generate`. */
  readonly concurrency: number;
  /** Share of the workers, as against other owners with jobs waiting. */
  readonly priority: number;
}

/** A request whose idempotency key was seen before: for the same, or for another picture or option. */
export type Repeated = { readonly kind: 'repeated'; readonly job: JobRow } | { readonly kind: 'key_taken' };

export type Submission = Repeated | { readonly kind: 'queued' | 'joined'; readonly job: JobRow } | OverLimit;

/** Not accepted: before its time, with too many under way outside the queue, or with every spot taken. */
export type OverLimit = { readonly memory: CallerMemory } & (
  | { readonly kind: 'too_fast' }
  | { readonly kind: 'busy'; readonly running: number }
  | { readonly kind: 'full'; readonly pending: number }
);

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
  readonly capeUrl?: string | null | undefined;
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

/** What holds for the jobs of all owners and processes together. Absent: no bound. */
export interface ClaimBounds {
  /** Most that may be processed at the same time. */
  readonly processing?: number;
  /** Whether a job waits while another for the same skin data is processed. */
  readonly onePerIdentity?: boolean;
}

/** Where a job stands. */
export type JobState = Pick<JobRow, 'id' | 'uuid' | 'status' | 'created_at' | 'skin_uuid'>;

export interface JobQueue {
  /** Accepts a job within the limits, in one step with counting them. */
  submit(job: NewJob, limits: SubmitLimits): Promise<Submission>;
  /** Records a job whose result was known at once. */
  recordKnown(job: NewJob, skinUuid: string): Promise<Recorded>;
  /** The job whose turn it is (turns.ts) of those that may run now, under a lease for `owner`. */
  claim(owner: string): Promise<Lease | undefined>;
  /** Makes the lease last longer. False when it is lost. */
  renew(lease: Lease): Promise<boolean>;
  /** Stores the skin and completes the job, both or neither. False when the lease is lost. */
  complete(lease: Lease, data: GeneratedData): Promise<boolean>;
  /** Ends or postpones the job. False when the lease is lost. */
  fail(lease: Lease, failure: JobFailure): Promise<boolean>;
  /** Gives the job back untouched, to be taken at `runAt` or at once: the attempt does not count. */
  release(lease: Lease, runAt?: number): Promise<boolean>;
  /** Frees jobs whose worker is gone. Answers how many. */
  recover(): Promise<number>;
  find(uuid: string): Promise<JobRow | undefined>;
  /** Those of these jobs that there are. */
  findAll(uuids: readonly string[]): Promise<JobRow[]>;
  /** What an earlier request with the same idempotency key makes of this one; undefined when there is none. */
  findRepeated(job: NewJob): Promise<Repeated | undefined>;
  /** An owner's pending jobs and the `size` newest others, newest first. */
  list(owner: string, size: number): Promise<JobRow[]>;
  /** The same jobs, and of each where it stands: many of them are read together. */
  listStates(owner: string, size: number): Promise<JobState[]>;
  /** The first `size` of an owner's jobs numbered higher than `id`, in the order of their acceptance. */
  listAfter(owner: string, id: number, size: number): Promise<JobRow[]>;
  /** How many jobs are waiting whose turn comes before this one's. */
  waitingBefore(job: Pick<JobRow, 'turn' | 'id'>): Promise<number>;
  /** When the next job may run that its owner's other jobs do not hold back: by `concurrency`, until one ends. */
  nextRunAt(): Promise<number | undefined>;
  /** Forgets jobs finished before `before`, and callers with nothing left to remember. */
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
