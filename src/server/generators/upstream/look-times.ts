/** When to look at the list of jobs. All times are milliseconds of one clock that does not jump. */

/** A job that is under way there. */
export interface Underway {
  /** When it was accepted, or, of one that an earlier process submitted, when we began to wait for it. */
  readonly since: number;
  readonly isNew: boolean;
  /** How long after its acceptance the service expects its end, where it says. */
  readonly eta: number | undefined;
}

/** Durations that the typical one is taken from; older ones are forgotten. */
const KEPT = 15;
/** With nothing learned, how long a job takes. */
const FIRST_GUESS = 100;
/** The first look comes a little early, or a service that has become faster would never be seen to. */
const EARLY = 0.9;
/** Pauses between two looks: a part of the usual duration, or of how late the job is. */
const PART = 0.125;
const LATENESS_PART = 0.3;
const SHORTEST_PAUSE = 20;
const LONGEST_SHORTEST = 500;
const LONGEST_PAUSE = 5_000;

/** Aims the looks at the ends of jobs, by how long the last ones took. */
export class LookTimes {
  #durations: number[] = [];

  ended({ since, isNew }: Underway, now: number): void {
    if (!isNew) return;
    this.#durations.push(now - since);
    if (this.#durations.length > KEPT) this.#durations.shift();
  }

  /** When the next look is due for these jobs, of which there is at least one. */
  next(jobs: Iterable<Underway>, lastLook: number): number {
    const pause = Math.min(LONGEST_SHORTEST, Math.max(SHORTEST_PAUSE, PART * (this.#typical() ?? 0)));
    const times = Array.from(jobs, (job) => {
      const expected = this.#expectedEnd(job);
      if (lastLook < expected) return expected;
      return lastLook + Math.min(LONGEST_PAUSE, Math.max(pause, LATENESS_PART * (lastLook - expected)));
    });
    return Math.max(lastLook + pause, Math.min(...times));
  }

  #expectedEnd({ since, isNew, eta }: Underway): number {
    if (!isNew) return since; // it may have ended long ago
    const typical = this.#typical();
    return since + (typical === undefined ? (eta ?? FIRST_GUESS) : EARLY * typical);
  }

  #typical(): number | undefined {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1];
  }
}
