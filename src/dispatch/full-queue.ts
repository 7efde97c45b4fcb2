/** Milliseconds for which a full queue is assumed to stay full unless a list says otherwise. */
const FIRST_PAUSE = 300;
const GROWTH = 1.6;
const LONGEST_PAUSE = 5_000;

/** How long submissions wait after the queue refused one because it was full. Times: milliseconds of a monotonic clock. */
export class FullQueue {
  readonly #random: () => number;
  #openAt = 0;
  /** Refusals since the last accepted submission. */
  #refusals = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** When the next submission is worth sending; in the past: now. */
  get openAt(): number {
    return this.#openAt;
  }

  /** Somebody else was faster. */
  refused(now: number): void {
    if (now >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst counts as one refusal
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * GROWTH ** (this.#refusals - 1));
    this.#openAt = now + pause * (0.5 + this.#random());
  }

  accepted(): void {
    this.#refusals = 0;
  }

  /** A job has ended, so the queue is no longer full. */
  roomSeen(): void {
    this.#openAt = 0;
  }
}
