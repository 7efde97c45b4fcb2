import { backOff } from '../base/clock.ts';
import {
  type CountedSubmission,
  type LimitWindow,
  limitWindows,
  type RetryAdvice,
  refusedWait,
  SubmissionBudget,
} from '../client/rate-limits.ts';
import { LONGEST_WAIT } from './outage.ts';

/** Milliseconds of a pause after a rate limit refusal, if the service gives no time. */
const REFUSED = { first: 500, longest: 15_000 };

/** One moment on two clocks, milliseconds: our monotonic one and the service's time of day. */
export interface ClockReading {
  readonly monotonic: number;
  readonly epoch: number;
}

/**
 * When the next submission may be sent by the service's limits. After an accepted submission only the
 * `remaining` of its windows counts: the queue has no fixed delay, so `next` concerns other requests. Times:
 * milliseconds of a monotonic clock.
 */
export class Pace {
  readonly #random: () => number;
  readonly #budget = new SubmissionBudget();
  readonly #onWindows: (windows: readonly LimitWindow[]) => void;
  #openAt = 0;
  #refusals = 0;
  #isGuess = false;

  /** `onWindows`: receives the windows that each answer names. */
  constructor(random: () => number, onWindows: (windows: readonly LimitWindow[]) => void = () => {}) {
    this.#random = random;
    this.#onWindows = onWindows;
  }

  /** Whether the pause after a refusal was not told: one submission shows whether it was long enough. */
  get isGuess(): boolean {
    return this.#isGuess;
  }

  /** When submissions may be sent; in the past: now. */
  openAt(now: number): number {
    return Math.max(this.#openAt, this.#budget.openAt(now) ?? 0);
  }

  /** When so many more submissions can have been sent, at the earliest. */
  reach(count: number, now: number): number {
    return Math.max(count > 0 ? this.#openAt : now, this.#budget.reach(count, now));
  }

  /** Submissions that may be sent now. */
  left(now: number): number {
    return this.#openAt > now ? 0 : this.#budget.left(now);
  }

  /** A submission is sent; its return value goes to one of the following. */
  sent(now: number): CountedSubmission {
    return this.#budget.sent(now);
  }

  /** It is not sent after all. */
  withdrawn(sent: CountedSubmission): void {
    this.#budget.withdrawn(sent);
  }

  accepted(advice: RetryAdvice, now: ClockReading, sent: CountedSubmission): void {
    this.#refusals = 0;
    this.#isGuess = false;
    this.#heard(advice, now, sent);
  }

  /** Refused by a rate limit. @returns milliseconds to wait; a longer pause already set by the service stays in effect */
  refused(advice: RetryAdvice, now: ClockReading, sent: CountedSubmission): number {
    this.#heard(advice, now, sent);
    if (now.monotonic >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst counts as one refusal
    const given = refusedWait(advice, now.epoch);
    this.#isGuess = given === undefined;
    // Add a margin: clocks and rounding differ, and a second refusal costs more.
    const asked =
      given === undefined ? backOff(this.#refusals, REFUSED, this.#random()) : given + 20 * this.#random();
    this.#openAt = Math.max(this.#openAt, now.monotonic + Math.min(LONGEST_WAIT, asked));
    return Math.max(asked, this.#openAt - now.monotonic);
  }

  /** It was not accepted, or its answer was lost. */
  failed(now: number, sent: CountedSubmission): void {
    this.#budget.answered(sent, now);
  }

  /** Other processes of the caller have used these windows up. */
  usedElsewhere(windows: readonly LimitWindow[], now: number): void {
    const sent = { at: now, answeredAt: now };
    this.#budget.recordWindows(windows, { sent, now });
  }

  #heard({ rateLimit }: RetryAdvice, { epoch, monotonic: now }: ClockReading, sent: CountedSubmission): void {
    const windows = limitWindows(rateLimit, epoch);
    this.#budget.recordWindows(windows, { sent, now });
    this.#budget.answered(sent, now);
    this.#onWindows(windows);
  }
}

/** How long a full queue is assumed to stay full unless a list says otherwise: 300 ms to 5 s, on average. */
const FULL = { first: 400, longest: 6_600, growth: 1.6 };

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

  /** Another program was faster. */
  refused(now: number): void {
    if (now >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst counts as one refusal
    this.#openAt = now + backOff(this.#refusals, FULL, this.#random());
  }

  accepted(): void {
    this.#refusals = 0;
  }

  /** A job has ended, so the queue is no longer full. */
  roomSeen(): void {
    this.#openAt = 0;
  }
}

/** The smoothed duration of a short request, milliseconds; 0: none was made. */
export class RoundTrip {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  took(ms: number): void {
    this.#ms = this.#ms === 0 ? ms : 0.7 * this.#ms + 0.3 * ms;
  }
}
