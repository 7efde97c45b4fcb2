import type { Clock } from '../clock.ts';

/** Jobs that the typical time is taken from; older ones are forgotten. */
const KEPT = 15;

export interface WorkTimesOptions {
  /** Workers. */
  readonly count: number;
  readonly clock: Clock;
  /** Milliseconds a job takes at least, where that is known before the first is done. */
  readonly least: number | undefined;
}

/** When jobs will be done, by how long the last ones took, from a worker's claim to the record of their end. */
export class WorkTimes {
  readonly #options: WorkTimesOptions;
  /** When each job under way was begun, by the monotonic clock. */
  readonly #begun = new Map<string, number>();
  #durations: number[] = [];

  constructor(options: WorkTimesOptions) {
    this.#options = options;
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

  /** A worker is free again. */
  end(uuid: string): void {
    this.#begun.delete(uuid);
  }

  /**
   * Milliseconds until this job is done, when `ahead` others will be taken before it. Undefined when nobody
   * works here, or nothing is known yet.
   */
  expectedWait(uuid: string, ahead: number): number | undefined {
    const { count } = this.#options;
    const typical = this.#typical();
    if (count === 0 || typical === undefined) return undefined;
    const begun = this.#begun.get(uuid);
    if (begun !== undefined) return this.#rest(begun, typical);
    // The first that was begun is the first to be done: the order of the map.
    const busy = [...this.#begun.values()].map((start) => this.#rest(start, typical));
    const free = Array<number>(Math.max(0, count - busy.length)).fill(0);
    // Jobs take the same time, so the workers take them in turns, the first to be free first.
    const turns = [...free, ...busy];
    return (turns[ahead % count] ?? 0) + (Math.floor(ahead / count) + 1) * typical;
  }

  #rest(begun: number, typical: number): number {
    return Math.max(0, begun + typical - this.#options.clock.monotonic());
  }

  /** The median: a first signature that waited for its key, or a pause of the machine, says nothing. */
  #typical(): number | undefined {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? this.#options.least;
  }
}
