/** Spots in the queue that every caller has (the service's specification). */
export const USUAL_SPOTS = 5;

/** Milliseconds before trying one more than is known to fit, doubled after each refusal. */
const FIRST_PROBE = 10_000;
const LONGEST_PROBE = 10 * 60_000;

/**
 * How many jobs the caller may have in the queue: the announced limit until experience contradicts it. A queue
 * that refuses shows what fits; one more is then tried only rarely. Times: milliseconds of a monotonic clock.
 */
export class SpotLimit {
  #told: number;
  /** The number that fits since the queue refused; undefined: it never refused. */
  #fits: number | undefined;
  /** The highest number that ever fit. */
  #proved = 0;
  #probeAt = 0;
  #probePause = FIRST_PROBE;

  constructor(told: number) {
    this.#told = Math.max(1, told);
  }

  set told(limit: number) {
    this.#told = Math.max(1, limit);
  }

  get told(): number {
    return this.#told;
  }

  /** The current limit. */
  at(now: number): number {
    if (this.#fits === undefined) return this.#told;
    return Math.min(this.#told, now >= this.#probeAt ? this.#fits + 1 : this.#fits);
  }

  /** Jobs that may be in flight at once: an announced limit is not tested all at once. */
  get burst(): number {
    return Math.max(USUAL_SPOTS, this.#proved);
  }

  /** Records that this many were there at the same time. */
  fitted(count: number, now: number): void {
    this.#proved = Math.max(this.#proved, count);
    if (this.#fits === undefined || count <= this.#fits) return;
    this.#fits = count;
    this.#probePause = FIRST_PROBE;
    this.#probeAt = now + FIRST_PROBE;
  }

  /** One more than `count` was refused. */
  refused(count: number, now: number): void {
    const fits = Math.max(1, count);
    const isProbe = this.#fits !== undefined && fits >= this.#fits;
    if (isProbe && now < this.#probeAt) return; // part of the same burst
    this.#probePause = isProbe ? Math.min(LONGEST_PROBE, this.#probePause * 2) : FIRST_PROBE;
    this.#fits = fits;
    this.#probeAt = now + this.#probePause;
  }
}
