import type { LimitWindow } from '../client/rate-limits.ts';
import type { OtherProcesses } from './shared-lists.ts';
import type { CountedSlots } from './slots.ts';

/** The answer to a request to submit. `job`: another process has a job for the same work. */
export type SlotClaim =
  | 'mine'
  | 'full'
  | { readonly job: string | undefined }
  /** All processes together have used these rate windows up. */
  | { readonly windows: readonly LimitWindow[] };

/** The queue of one caller, as a dispatcher uses it beside the caller's other processes. */
export interface CallerQueue extends OtherProcesses {
  /** The caller's pending jobs, as far as known. */
  readonly pending: number;
  /** Claims a share of the slots, because there is work to submit. */
  enter(): void;
  /** Nothing more will be submitted. Existing jobs stay. */
  leave(): void;
  /** Stops taking other processes' jobs into account. */
  close(): void;
  /** Notices the changes of other processes, until aborted. */
  keepUp(onNews: () => void, signal: AbortSignal): Promise<void>;
  /** Takes a slot if one of `limit` is free and within this process's share. `key`: the work to submit. */
  take(limit: number, key: string | undefined): SlotClaim;
  /** The submission became a job; undefined: it did not, so others may try. */
  became(key: string, job: string | undefined): void;
  /** The answer to a submission of this process, which still counts as in flight, names these rate windows. */
  heardWindows(windows: readonly LimitWindow[]): void;
}

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
