import { isPending, type Job } from '../../protocol/job.ts';
import type { Underway } from './look-times.ts';
import type { Work } from './work.ts';

/** A job of ours that the service has not ended yet, as far as we know. */
export interface OpenJob extends Underway {
  readonly id: string;
  readonly work: Work;
  /** Whether `acceptedAt` is that: of a job from an earlier run it is not known. */
  readonly isTimed: boolean;
  /** When it was made, on the service's clock, milliseconds since the epoch. */
  readonly timestamp: number | undefined;
}

/**
 * The caller's spots in the queue, counted so that they are never overrun: jobs of ours, submissions whose
 * answer is still out, and jobs that others of the same caller have there.
 */
export class Spots {
  readonly jobs = new Map<string, OpenJob>();
  /** Submissions under way, and those whose answer was lost: the service may hold a job for each. */
  readonly unsure = new Set<Work>();
  readonly #others = new Set<string>();
  #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  get ours(): number {
    return this.jobs.size + this.unsure.size;
  }

  get others(): number {
    return this.#others.size;
  }

  /** Whether one more may be submitted. `share`: spots that are this batch's. */
  isOpen(share: number): boolean {
    return this.ours < share && this.ours + this.others < this.#limit;
  }

  /** A list was seen: whatever is pending there and not ours is somebody else's. */
  sawList(jobs: readonly Job[]): void {
    this.#others.clear();
    for (const job of jobs) this.sawJob(job);
  }

  /** One job was seen, in an event or a list. */
  sawJob({ id, status }: Job): void {
    if (isPending(status) && !this.jobs.has(id)) this.#others.add(id);
    else this.#others.delete(id);
  }

  took(job: OpenJob): void {
    this.unsure.delete(job.work);
    this.#others.delete(job.id);
    this.jobs.set(job.id, job);
  }

  freed(id: string): void {
    this.jobs.delete(id);
  }
}
