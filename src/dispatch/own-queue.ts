import type { CallerQueue, Taken } from './caller-queue.ts';
import type { CountedSpots } from './spots.ts';

/** The queue of a caller that shares its spots with no other process, as at an embedded service. */
export class OwnQueue implements CallerQueue {
  readonly isShared = false;
  readonly settledAt = undefined;
  readonly typical = undefined;
  readonly otherJobs = [];
  readonly foreignJobs = 0;
  readonly #spots: CountedSpots;

  constructor(spots: CountedSpots) {
    this.#spots = spots;
  }

  get pending(): number {
    return this.#spots.jobs.size;
  }

  take(limit: number): Taken {
    return this.#spots.ours < limit ? 'mine' : 'full';
  }

  tryLook(): number {
    return 0;
  }

  isElsewhere(): boolean {
    return false;
  }

  takeNews(): undefined {
    return undefined;
  }

  async keepUp(): Promise<void> {}
  enter(): void {}
  leave(): void {}
  close(): void {}
  became(): void {}
  heardWindows(): void {}
  endLook(): void {}
}
