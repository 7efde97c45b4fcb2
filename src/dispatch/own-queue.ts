import type { CallerQueue, SlotClaim } from './caller-queue.ts';
import type { CountedSlots } from './slots.ts';

/** The queue of a caller that shares its slots with no other process, as at an embedded service. */
export class OwnQueue implements CallerQueue {
  readonly isShared = false;
  readonly settledAt = undefined;
  readonly typical = undefined;
  readonly otherJobs = [];
  readonly foreignJobs = 0;
  readonly #slots: CountedSlots;

  constructor(slots: CountedSlots) {
    this.#slots = slots;
  }

  get pending(): number {
    return this.#slots.jobs.size;
  }

  take(limit: number): SlotClaim {
    return this.#slots.ours < limit ? 'mine' : 'full';
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
