/**
 * When to look at the job list. Nothing is gained by looking before a job can be done, and every millisecond
 * after is a spot that stands empty: so the look is aimed at the moment at which a wave of jobs ends, learned
 * from the ends of the jobs before. All times are milliseconds of one clock that does not jump.
 */

/** What is known of a job that is under way. */
export interface Underway {
  /** When the service had accepted it. */
  readonly acceptedAt: number;
  /** How long after that the service expects its end, where it says. */
  readonly eta: number | undefined;
}

export interface LookState {
  readonly now: number;
  /** When the last look began. */
  readonly lastLook: number;
  /** Milliseconds that a short request takes. */
  readonly roundTrip: number;
}

/** Samples that count; older ones are forgotten. */
const KEPT = 16;
/** Jobs expected within this part of their duration of each other are one wave, worth one look. */
const WAVE = 0.1;
const SHORTEST_WAVE = 20;
/** With nothing learned, the first look. */
const FIRST_PAUSE = 100;
/** Past its time a job is looked for again after this part of the usual duration, or of how late it is. */
const OVERDUE = 0.05;
const OVERDUE_GROWTH = 0.4;
const SHORTEST_OVERDUE = 10;
/** However far an expectation is, a look is not put off longer. */
const LONGEST_TRUST = 60_000;

/** Learns how long jobs take, and what the service's own expectations are worth. */
export class LookTimes {
  readonly #longest: number;
  readonly #durations = new Learned();
  /** How much later than its eta a job ends. */
  readonly #lateness = new Learned();

  /** `longest`: pause between looks at the most. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** A job has ended `duration` after it was accepted. */
  ended({ eta }: Underway, duration: number): void {
    if (!Number.isFinite(duration) || duration < 0) return;
    this.#durations.add(duration);
    if (eta !== undefined) this.#lateness.add(duration - eta);
  }

  /** How long a job usually takes; undefined: nothing is known yet. */
  get typical(): number | undefined {
    return this.#durations.median;
  }

  /** When to look, given the jobs that are under way (at least one), the last look and what a request takes. */
  next(jobs: readonly Underway[], { now, lastLook, roundTrip }: LookState): number {
    const expected = jobs.map((job) => this.#expectedEnd(job)).sort((a, b) => a - b);
    const late = expected.findLast((end) => end <= now);
    const again = late === undefined ? Number.POSITIVE_INFINITY : this.#lookAgain(late, lastLook, roundTrip);
    return Math.min(this.#endOfWave(expected, now), again, lastLook + LONGEST_TRUST);
  }

  /** The end of the first wave that is still to come. */
  #endOfWave(expected: readonly number[], now: number): number {
    const first = expected.find((end) => end > now) ?? Number.POSITIVE_INFINITY;
    const wave = Math.max(SHORTEST_WAVE, WAVE * (this.typical ?? 0));
    return expected.findLast((end) => end <= first + wave && end > now) ?? first;
  }

  /** At once if nobody has looked since; then the later the job is, the longer the pauses. */
  #lookAgain(expected: number, lastLook: number, roundTrip: number): number {
    if (lastLook < expected) return expected;
    const base = this.typical === undefined ? FIRST_PAUSE : OVERDUE * this.typical;
    const least = Math.max(SHORTEST_OVERDUE, 2 * roundTrip, base);
    return lastLook + Math.min(this.#longest, Math.max(least, OVERDUE_GROWTH * (lastLook - expected)));
  }

  /** By the eta or by experience, whichever has been nearer to the truth. */
  #expectedEnd({ acceptedAt, eta }: Underway): number {
    const byExperience = this.#durations.high;
    const lateness = this.#lateness.high;
    if (eta === undefined) return acceptedAt + (byExperience ?? FIRST_PAUSE);
    if (byExperience === undefined || lateness === undefined) return acceptedAt + eta;
    const isEtaBetter = this.#lateness.spread <= this.#durations.spread;
    return acceptedAt + (isEtaBetter ? eta + lateness : byExperience);
  }
}

/** The last few samples of one quantity. */
class Learned {
  #samples: number[] = [];

  add(sample: number): void {
    this.#samples.push(sample);
    if (this.#samples.length > KEPT) this.#samples.shift();
  }

  get median(): number | undefined {
    return this.#quantile(0.5);
  }

  /** What most samples stay below, so that a look aimed at it finds the whole wave. */
  get high(): number | undefined {
    return this.#quantile(0.9);
  }

  get spread(): number {
    return (this.#quantile(0.9) ?? 0) - (this.#quantile(0.1) ?? 0);
  }

  #quantile(q: number): number | undefined {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    return sorted[Math.floor(q * (sorted.length - 1) + 0.5)];
  }
}
