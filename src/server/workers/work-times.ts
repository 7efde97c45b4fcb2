import type { Clock } from '../../base/clock.ts';

/** Jobs that the typical time is taken from; older ones are forgotten. */
const KEPT = 15;

export interface WorkTimesOptions {
  readonly clock: Clock;
  /** Milliseconds a job takes at least, where that is known before the first is done. */
  readonly least: number | undefined;
}

/** How long jobs take: the last ones, from a worker's claim to the record of their end. */
export class WorkTimes {
  readonly #options: WorkTimesOptions;
  /** When each job under way was begun, by the monotonic clock. */
  readonly #begun = new Map<string, number>();
  #durations: number[] = [];

  constructor(options: WorkTimesOptions) {
    this.#options = options;
  }

  /** Jobs under way. */
  get underWay(): number {
    return this.#begun.size;
  }

  begin(uuid: string): void {
    this.#begun.set(uuid, this.#options.clock.monotonic());
  }

  /** The job was done, and its time is worth remembering. */
  learn(uuid: string): void {
    const begun = this.#begun.get(uuid);
    if (begun === undefined) return;
    this.#durations.push(this.#options.clock.monotonic() - begun);
    if (this.#durations.length > KEPT) this.#durations.shift();
  }

  /** It is over, whatever came of it. */
  end(uuid: string): void {
    this.#begun.delete(uuid);
  }

  /**
   * Milliseconds, the median: a first signature that waited for its key, or a pause of the machine, says nothing.
   * Undefined: no job was done yet, and nothing is known of how long one takes.
   */
  typical(): number | undefined {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? this.#options.least;
  }
}
