import { randomBytes } from 'node:crypto';
import type { JobStatus } from '../../../src/protocol/job.ts';
import type { Skin, SkinVisibility } from '../../../src/protocol/skin.ts';
import type { TextureModel } from '../../../src/textures/property.ts';
import type { Fate } from './fates.ts';

/** What a skin is wanted of. */
export interface Wish {
  /** Pixel hash. */
  readonly pixels: string;
  readonly variant: TextureModel;
  readonly visibility: SkinVisibility;
  readonly name: string | undefined;
}

/** A job about to be taken in. */
export interface PlannedJob {
  readonly wish: Wish;
  /** Its number among the submissions of this picture, from 1. */
  readonly attempt: number;
  /** What becomes of it; undefined: it is made as it should be. */
  readonly fate: Fate | undefined;
  /** Another program of the same caller submitted it. */
  readonly isForeign: boolean;
}

/** A job; its times (milliseconds since the epoch) are settled when it is taken in, its status follows from the clock. */
export interface HostedJob extends PlannedJob {
  /** 24 hexadecimal digits. */
  readonly id: string;
  readonly acceptedAt: number;
  readonly startsAt: number;
  /** Infinity where nobody works. */
  readonly endsAt: number;
  readonly skinUuid: string;
  /** What it makes, known beforehand; nobody sees it before the job has ended. */
  readonly skin: Promise<Skin>;
}

export function statusOf({ startsAt, endsAt, fate }: HostedJob, now: number): JobStatus {
  if (now < startsAt) return 'waiting';
  if (now < endsAt) return 'processing';
  return fate?.kind === 'fails' ? 'failed' : 'completed';
}

/** Whether the job is still listed and answered for. */
export function isKnown({ endsAt, fate }: HostedJob, now: number): boolean {
  return fate?.kind !== 'forgotten' || now < endsAt + fate.after;
}

/** Whether the service has a skin that the job made. */
export function hasSkin(job: HostedJob, now: number): boolean {
  const { fate } = job;
  if (statusOf(job, now) !== 'completed') return false;
  return fate?.kind !== 'forgotten' || fate.keepsSkin || isKnown(job, now);
}

/** Whether that skin is the one that was wished for. */
export function hasRightSkin(job: HostedJob, now: number): boolean {
  return hasSkin(job, now) && job.fate?.kind !== 'wrong';
}

/** The caller's jobs, processed first come, first served by a number of workers. */
export class JobBook {
  readonly #jobs = new Map<string, HostedJob>();
  readonly #byWish = new Map<string, HostedJob[]>();
  /** When each worker has done what it was given. */
  readonly #freeAt: number[];
  #unfinished: HostedJob[] = [];

  constructor(workers: number) {
    this.#freeAt = Array.from({ length: workers }, () => 0);
  }

  /** When a job taken in now would be worked at. */
  schedule(now: number, serviceTime: number): { startsAt: number; endsAt: number } {
    const freeAt = Math.min(...this.#freeAt);
    const startsAt = Math.max(now, freeAt);
    if (Number.isFinite(freeAt)) this.#freeAt[this.#freeAt.indexOf(freeAt)] = startsAt + serviceTime;
    return { startsAt, endsAt: startsAt + serviceTime };
  }

  add(job: HostedJob): void {
    this.#jobs.set(job.id, job);
    this.#unfinished.push(job);
    this.#byWish.set(wishKey(job.wish), [...this.of(job.wish), job]);
  }

  /** Jobs for the same picture and variant, oldest first, forgotten ones too. */
  of(wish: Wish): readonly HostedJob[] {
    return this.#byWish.get(wishKey(wish)) ?? [];
  }

  find(id: string, now: number): HostedJob | undefined {
    const job = this.#jobs.get(id);
    return job && isKnown(job, now) ? job : undefined;
  }

  /** Newest first. */
  list(now: number): readonly HostedJob[] {
    return [...this.#jobs.values()].filter((job) => isKnown(job, now)).reverse();
  }

  unfinished(now: number): number {
    this.#unfinished = this.#unfinished.filter(({ endsAt }) => endsAt > now);
    return this.#unfinished.length;
  }
}

export function wishKey({ pixels, variant }: Wish): string {
  return `${pixels}:${variant}`;
}

export function makeJobId(): string {
  const id = randomBytes(12).toString('hex');
  return id.startsWith('f4c3') ? makeJobId() : id;
}

/** Id of a job that never was: it stands for a duplicate. */
export function makeUpJobId(): string {
  return `f4c3${randomBytes(10).toString('hex')}`;
}
