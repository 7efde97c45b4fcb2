import type { SkinVisibility } from '../../protocol/skin.ts';
import type { NewCallback } from '../store/callbacks.ts';
import type { CallerMemory } from '../store/callers.ts';
import type { JobRow, TextureDataRow, Via } from '../store/schema/tables.ts';
import type { TextureContent } from '../store/textures.ts';

export interface NewJob {
  readonly uuid: string;
  readonly owner: string;
  /** Identifies the request: the same request of the same owner, while pending, is the same job. */
  readonly requestKey: string;
  readonly identity: string;
  readonly textureHash: string;
  readonly variant: 'classic' | 'slim';
  readonly visibility: SkinVisibility;
  readonly name: string | null;
  /** Texture of the cape to combine with it. */
  readonly capeHash: string | null;
  readonly via: Via;
  /** The source in words that its owner recognizes. */
  readonly source?: string | undefined;
  /** The caller's name for this request: a repetition gets the same job, finished or not. */
  readonly idempotencyKey?: string | undefined;
  /** The callback for its end. */
  readonly callback?: NewCallback | undefined;
  /** Its picture, stored in the same transaction as the job: a refused job leaves nothing behind. */
  readonly picture?: TextureContent | undefined;
}

/** A limit shared by many callers. Counted in the store, so that all nodes share the count. */
export interface SharedLimit {
  /** The name under which it is counted. */
  readonly owner: string;
  /** New generations in any hour. */
  readonly perHour: number;
}

/** How much a caller may do; none of the counts is below 1. */
export interface SubmitLimits {
  /** Maximum unfinished jobs. */
  readonly slots: number;
  readonly perMinute: number;
  readonly perHour: number;
  /** Milliseconds between generations of version 1. */
  readonly delay: number;
  /** Maximum jobs processed at the same time while other owners wait too. */
  readonly concurrency: number;
  /** The same while capacity is idle that no other owner can use; at least `concurrency`. */
  readonly burst: number;
  /** Share of the workers while others want them too: twice the number gets twice as many skins generated. */
  readonly priority: number;
  /** The limit of all callers of the plan together, if any. */
  readonly together?: SharedLimit | undefined;
}

/** A request whose idempotency key is known: for the same request, or for another picture or options. */
export type Repeated = { readonly kind: 'repeated'; readonly job: JobRow } | { readonly kind: 'key_taken' };

export type SubmitResult = Repeated | Accepted | OverLimit;

/** The request has a job, a new one or that of an earlier request. */
export interface Accepted {
  readonly kind: 'queued' | 'joined';
  readonly job: JobRow;
  /** The owner's usage including this job. */
  readonly usage: CallerMemory;
  /** Whether no slot is left for another job of the owner. */
  readonly isFull: boolean;
}

/** Refused: too early, too many version 1 jobs in progress, or no free slot. */
export type OverLimit = { readonly memory: CallerMemory } & (
  | { readonly kind: 'too_fast' }
  | { readonly kind: 'busy'; readonly running: number }
  | { readonly kind: 'full'; readonly pending: number }
  /** The shared limit is exhausted until `opensAt`, milliseconds since the epoch. */
  | { readonly kind: 'crowded'; readonly opensAt: number }
);

/** How many more jobs an owner may submit now, or the limit that refuses them. */
export type SubmitRoom = { readonly kind: 'room'; readonly count: number } | OverLimit;

export type Recorded = Repeated | { readonly kind: 'recorded'; readonly job: JobRow };

/** A job under a worker's lease. */
export interface Lease {
  readonly job: JobRow;
  readonly owner: string;
  /** Whether the job's data existed when it was claimed; undefined: unknown. */
  readonly hasData?: boolean;
  /** Whether no other job waited when it was claimed; undefined: unknown. */
  readonly isLast?: boolean;
}

/** Signed data from a generator, stored when the job completes. */
export type GeneratedData = Omit<
  TextureDataRow,
  'identity' | 'texture_hash' | 'variant' | 'cape_hash' | 'created_at'
>;

/** What made skin data. */
export type Maker = Pick<TextureDataRow, 'generator_version' | 'server' | 'worker' | 'duration'>;

export interface JobFailure {
  readonly code: string;
  readonly message: string;
  /** Whether another attempt may succeed. */
  readonly passing: boolean;
}

/** Limits over all owners and processes. Absent: none. */
export interface ClaimBounds {
  /** Maximum jobs processed at the same time. */
  readonly processing?: number;
  /** Whether a job waits while another for the same skin data is in progress. */
  readonly onePerIdentity?: boolean;
  /** Whose jobs may start now. */
  readonly owners?: { readonly only: readonly string[] } | { readonly except: readonly string[] };
  /** When `owners` may change, in milliseconds since the epoch. */
  readonly until?: number;
}

/** What workers do with jobs. */
export interface JobLeases {
  /** The next job in turn order (fairness.ts) of those that may run now, under a lease for `owner`. */
  claim(owner: string): Promise<Lease | undefined>;
  /**
   * Updates the job's identity if the signer has changed since it was accepted. Undefined when the lease is lost, or
   * when the job went back to the queue because another one for the same data is in progress.
   */
  adopt(lease: Lease, identity: string): Promise<Lease | undefined>;
  /** Extends the lease. False when it is lost. */
  renew(lease: Lease): Promise<boolean>;
  /** Stores the skin and completes the job atomically. False when the lease is lost. */
  complete(lease: Lease, data: GeneratedData): Promise<boolean>;
  /** Fails or postpones the job. False when the lease is lost. */
  fail(lease: Lease, failure: JobFailure): Promise<boolean>;
  /** Returns the job unchanged to the queue, for `runAt` or at once. The attempt does not count. */
  release(lease: Lease, runAt?: number): Promise<boolean>;
  /**
   * Returns the jobs that a worker holds, except the current one, to the queue: claims whose answers it never got.
   * @returns how many
   */
  releaseOthers(leaseOwner: string, atHand?: string): Promise<number>;
  /**
   * When the next job may run. Due jobs that wait for other jobs of their owner do not count: they may run as soon as
   * one of those ends.
   */
  nextRunAt(): Promise<number | undefined>;
}

/** Every numeric setting of the queue. Times in milliseconds. */
export interface QueueTimes {
  readonly lease: number;
  readonly maxAttempts: number;
  /** Pause before the second attempt; doubled for each further one. */
  readonly retryDelay: number;
  /**
   * How long a claim waits for other transactions on the owner whose turn it is: the time of several short ones.
   */
  readonly turnPatience: number;
}

export const QUEUE_TIMES: QueueTimes = {
  lease: 15_000,
  maxAttempts: 5,
  retryDelay: 1_000,
  turnPatience: 200,
};
