/** When to look at the list of jobs. All times are milliseconds of a monotonic clock. */

/** A job in progress on the service. */
export interface Underway {
  /** When it was accepted or, if an earlier process submitted it, when this process began to wait for it. */
  readonly since: number;
  readonly isNew: boolean;
  /** Expected time from its acceptance to its end, if the service states one. */
  readonly eta: number | undefined;
}

/** Number of durations from which the typical one is determined; older ones are forgotten. */
const KEPT = 15;
/** With nothing learned and no plausible eta, how long a job takes. */
const FIRST_GUESS = 100;
/** With nothing learned, an eta is capped at the duration of a usual job. */
const USUAL = 2_000;
/** An eta further off than this is ignored: a wrong clock, or seconds instead of milliseconds. */
const PLAUSIBLE_ETA = 60_000;
/** The first look comes a little early; otherwise a service that has become faster would go unnoticed. */
const EARLY = 0.9;
/** Pause between two looks: this part of the typical duration, or of the job's delay. */
const PART = 0.125;
const LATENESS_PART = 0.3;
const SHORTEST_PAUSE = 20;
const LONGEST_SHORTEST = 500;
const LONGEST_PAUSE = 5_000;

/** Schedules the looks close to the ends of jobs, based on the latest durations. */
export class LookTimes {
  #durations: number[] = [];

  ended({ since, isNew }: Underway, now: number): void {
    if (!isNew) return;
    this.#durations.push(now - since);
    if (this.#durations.length > KEPT) this.#durations.shift();
  }

  /** When the next look is due for these jobs; there must be at least one. */
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
    return since + (typical === undefined ? firstGuess(eta) : EARLY * typical);
  }

  #typical(): number | undefined {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1];
  }
}

/** An eta is only a hint: a first look that comes too early costs one request, one too late idles a spot. */
function firstGuess(eta: number | undefined): number {
  const isPlausible = eta !== undefined && eta > 0 && eta <= PLAUSIBLE_ETA;
  return isPlausible ? Math.min(eta, USUAL) : FIRST_GUESS;
}
