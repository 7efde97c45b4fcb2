import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Fate } from '../plans.ts';
import type { Alteration } from '../replies.ts';
import type { DoubleRequest, RequestKind } from '../requests.ts';
import type { Seed } from '../seed.ts';
import type { HostedJob, PlannedJob } from './jobs.ts';
import type { HostedFlags, RateRule } from './visit.ts';

/** How the service behaves. Times in milliseconds. */
export interface HostedOptions {
  /** What textures' addresses begin with, up to the hash, no slash at the end; default: `/textures` of the service. */
  readonly texturesUrl?: string;
  /** API key of the one user; at least 64 characters. */
  readonly key?: string;
  /** How long a job is processed; default: 40. A list is used job by job, again and again. */
  readonly serviceTime?: number | readonly number[] | ((job: PlannedJob) => number);
  /** Jobs processed at a time; default: 5; 0: none ever. */
  readonly workers?: number;
  /** Unfinished jobs the caller may have; default: 5. */
  readonly limit?: number;
  /** How many more than `limit` it lets through by mistake; default: 0. */
  readonly slack?: number;
  /** The caller's rate limit; default: none is looked up, and answers contain zeros. */
  readonly rate?: RateRule;
  /** Whether the jobs of a caller with a rate are spread over time (`notBefore`); default: true. */
  readonly spread?: boolean;
  /** Pause between two requests of a caller, announced everywhere but enforced by POST /v2/generate only; default: none. */
  readonly delay?: number;
  /** Unfinished jobs that `blockConcurrency` allows and the grants state; default: as many as `workers`. */
  readonly concurrency?: number;
  readonly flags?: HostedFlags;
  /** Added to the `eta` of a new job; default: 0; false: answers have none. */
  readonly eta?: false | number;
  /** Pictures that are answered at once as duplicates: those it has made (default), none, all, or these as well. */
  readonly known?: 'made' | 'nothing' | 'everything' | ((pixels: string) => boolean);
  /** Minimum time between two reads of one job, below which they get a 429; default: 0. */
  readonly lookGap?: number;
  /** How long POST /v2/generate waits, instead of its `timeout`. */
  readonly patience?: number;
  /** Merged into the grants of GET /v2/me. */
  readonly grants?: Readonly<Record<string, unknown>>;
  /** How long a request takes each way; default: 0 over a network, 5 in memory. */
  readonly latency?: number | ((kind: RequestKind) => number);
  /** How far behind reads are, as from a lagging replica; default: 0. */
  readonly lag?: (request: DoubleRequest) => number;
  /** How far the service's clock is ahead of this machine's; default: 0. */
  readonly clockOffset?: number;
  /** This machine's clock; default: the real one. */
  readonly clock?: Clock;
  /** Changes what answers say, see replies.ts. */
  readonly alter?: Alteration;
  /** The outcome of a picture's jobs, by its pixel hash; default: success. */
  readonly fate?: (pixels: string) => Fate | undefined;
  /** RSA key to sign with; default: the fixture key. */
  readonly signingKey?: KeyObject;
  /** Where ids come from; default: another source in each run. */
  readonly seed?: Seed;
  /** Records what is accepted. */
  readonly recorder?: SubmissionRecorder;
}

/** A submission that was accepted. Times in milliseconds since the epoch. */
export interface AcceptedSubmission {
  /** Pixel hash. */
  readonly pixels: string;
  readonly variant: string;
  readonly job: string;
  readonly at: number;
  /** When its job is done; null: never. */
  readonly endsAt: number | null;
  /** Answered at once with an existing skin. */
  readonly duplicate: boolean;
}

export interface SubmissionRecorder {
  /** `earlier`: earlier jobs for the same picture and variant. */
  submission(submission: AcceptedSubmission, earlier: readonly HostedJob[]): void;
  /** How many jobs of the caller are unfinished now, including those of other programs. */
  unfinished(count: number): void;
}

/** How long a request of this kind takes each way. */
export function latencyOf({ latency = 0 }: HostedOptions, kind: RequestKind): number {
  return typeof latency === 'number' ? latency : latency(kind);
}
