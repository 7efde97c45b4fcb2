import type { JobStatus } from '../../protocol/job.ts';
import type { Skin, SkinVisibility } from '../../protocol/skin.ts';
import type { TextureModel } from '../../textures/property.ts';
import type { Fate, JobPlan } from '../plans.ts';
import type { Seed } from '../seed.ts';
import { type CallerKind, MINUTE, type RateRule } from './visit.ts';

/** What a skin is made from. */
export interface SkinInput {
  /** Pixel hash. */
  readonly pixels: string;
  readonly variant: TextureModel;
  readonly visibility: SkinVisibility;
  readonly name: string | undefined;
}

/** Who submitted a job. Slots are counted for the user, lists are for the key. */
export type JobOwner =
  /** The caller under test. */
  | 'user'
  /** Another program of the same user: with the same key, or with another. */
  | 'other program'
  | 'other key'
  /** Someone without a key. */
  | 'anonymous';

/** A job about to be accepted. */
export interface PlannedJob {
  readonly input: SkinInput;
  /** Its number among the submissions of this picture, from 1. */
  readonly attempt: number;
  /** Its outcome; undefined: success. */
  readonly fate: Fate | undefined;
  readonly owner: JobOwner;
  readonly plan?: JobPlan | undefined;
}

/** A job; its times (milliseconds since the epoch) are settled when it is taken in, its status follows from the clock. */
export interface HostedJob extends PlannedJob {
  /** 24 hexadecimal digits. */
  readonly id: string;
  readonly acceptedAt: number;
  /** As the answer gives it. */
  readonly eta: number | undefined;
  readonly startsAt: number;
  /** Infinity without workers, and while the service holds the job. */
  endsAt: number;
  /** How often it was polled. */
  polls: number;
  readonly skinUuid: string;
  /** Its result, known in advance; hidden until the job has ended. */
  readonly skin: Promise<Skin>;
}

export function statusOf({ startsAt, endsAt, fate }: HostedJob, now: number): JobStatus {
  if (now < startsAt) return 'waiting';
  if (now < endsAt) return 'processing';
  return fate?.kind === 'fails' ? 'failed' : 'completed';
}

/** Whether the service still lists and returns the job. */
export function isKnown({ endsAt, fate }: HostedJob, now: number): boolean {
  return fate?.kind !== 'forgotten' || now < endsAt + fate.after;
}

/** Whether the service has a skin that the job made. */
export function hasSkin(job: HostedJob, now: number): boolean {
  const { fate } = job;
  if (statusOf(job, now) !== 'completed') return false;
  return fate?.kind !== 'forgotten' || fate.keepsSkin || isKnown(job, now);
}

/** Whether that skin is the one that was requested. */
export function hasRightSkin(job: HostedJob, now: number): boolean {
  return hasSkin(job, now) && job.fate?.kind !== 'wrong';
}

/** The caller's jobs, processed first come, first served by a number of workers. */
export class JobBook {
  readonly #jobs = new Map<string, HostedJob>();
  readonly #byInput = new Map<string, HostedJob[]>();
  /** When each worker will be free. */
  readonly #freeAt: number[];
  readonly #last = new Map<CallerKind, HostedJob>();
  #unfinished: HostedJob[] = [];
  #isHolding = false;
  #hiddenBefore = Number.NEGATIVE_INFINITY;

  constructor(workers: number) {
    this.#freeAt = Array.from({ length: workers }, () => 0);
  }

  /** When a job that may start at `earliest` is worked at. */
  schedule(earliest: number, serviceTime: number): { startsAt: number; endsAt: number } {
    if (this.#isHolding) return { startsAt: earliest, endsAt: Number.POSITIVE_INFINITY };
    const freeAt = Math.min(...this.#freeAt);
    const startsAt = Math.max(earliest, freeAt);
    if (Number.isFinite(freeAt)) this.#freeAt[this.#freeAt.indexOf(freeAt)] = startsAt + serviceTime;
    return { startsAt, endsAt: startsAt + serviceTime };
  }

  /** Jobs accepted from now on do not end before `release`. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Lets held jobs end, and holds no more of them. */
  release(now: number): void {
    this.#isHolding = false;
    for (const job of this.#unfinished) if (!Number.isFinite(job.endsAt)) job.endsAt = now;
  }

  /** Counts a poll of a job, and ends it if its plan says so. */
  polled(job: HostedJob, now: number): void {
    job.polls++;
    if (job.plan?.polls !== undefined && job.polls >= job.plan.polls) job.endsAt = Math.min(job.endsAt, now);
  }

  /** From now on, the caller has a new key. */
  hideEarlier(now: number): void {
    this.#hiddenBefore = now;
  }

  add(job: HostedJob): void {
    this.#jobs.set(job.id, job);
    this.#unfinished.push(job);
    this.#last.set(callerOf(job), job);
    this.#byInput.set(inputKey(job.input), [...this.of(job.input), job]);
  }

  /** Jobs for the same picture and variant, oldest first, forgotten ones too. */
  of(input: SkinInput): readonly HostedJob[] {
    return this.#byInput.get(inputKey(input)) ?? [];
  }

  find(id: string, now: number): HostedJob | undefined {
    const job = this.#jobs.get(id);
    return job && job.acceptedAt <= now && isKnown(job, now) ? job : undefined;
  }

  /** Jobs of the caller's key in the last three hours, newest first (their order is not in the source). */
  list(now: number): readonly HostedJob[] {
    const isListed = (job: HostedJob) =>
      (job.owner === 'user' || job.owner === 'other program') &&
      job.acceptedAt > Math.max(now - LISTED, this.#hiddenBefore) &&
      job.acceptedAt <= now &&
      isKnown(job, now);
    return [...this.#jobs.values()].filter(isListed).reverse();
  }

  /** When the caller's last job was accepted. */
  last(caller: CallerKind): number | undefined {
    return this.#last.get(caller)?.acceptedAt;
  }

  unfinished(caller: CallerKind, now: number): number {
    this.#unfinished = this.#unfinished.filter(({ endsAt }) => endsAt > now);
    return this.#unfinished.filter((job) => callerOf(job) === caller).length;
  }
}

const LISTED = 3 * 60 * 60_000;

function callerOf({ owner }: HostedJob): CallerKind {
  return owner === 'anonymous' ? 'anonymous' : 'user';
}

export function inputKey({ pixels, variant }: SkinInput): string {
  return `${pixels}:${variant}`;
}

export function makeJobId(seed: Seed): string {
  const id = seed.hex(12);
  return id.startsWith('f4c3') ? makeJobId(seed) : id;
}

/** `saveFakeJob`: the id of a job that never existed, always the same for a skin. */
export function fakeJobId(skinUuid: string): string {
  return `f4c3${skinUuid.slice(4, 24)}`;
}

export interface Before {
  /** The caller's jobs that have not ended. */
  readonly pending: number;
  /** When the caller's last job was accepted, milliseconds since the epoch; undefined: there was none. */
  readonly lastJob: number | undefined;
}

/**
 * When a new job may start, in milliseconds since the epoch: `v2SubmitGeneratorJob` spreads the jobs of a caller
 * with a rate over the minute, from the second of the caller's last job. Undefined: at once.
 */
export function notBefore({ pending, lastJob = 0 }: Before, rule: RateRule, now: number): number | undefined {
  const { limit, window = MINUTE } = rule;
  if (pending === 0 && now - lastJob >= window) return undefined;
  const second = window / 60;
  const step = 60 / limit;
  const base = Math.ceil((lastJob || now) / second);
  const distance = Math.ceil(base / step) * step - base;
  return (base + (distance > 0 ? distance * pending : 0)) * second;
}

/** `v2GenerateEnqueue`: the start plus the average time of jobs, in steps of 10 ms. */
export function etaOf(startsAt: number, duration: number): number | undefined {
  const mean = Math.round(duration / 10) * 10;
  return mean > 0 && Number.isFinite(mean) ? startsAt + mean : undefined;
}
