import type { RateLimit } from '../../protocol/envelope.ts';

/** Milliseconds without a hint: the first pause after a refusal for going too fast, and the longest. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
/** However long the service asks for, it is asked again after this. */
const LONGEST_WAIT = 2 * 60 * 60_000;

/** What an answer told about when to come back. */
export interface Told {
  /** Milliseconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
}

/** One moment on two clocks, milliseconds: one that does not jump, and the time of day. */
export interface Moment {
  readonly monotonic: number;
  readonly epoch: number;
}

/** When the next submission may be sent, as the service's limits have it. Times: ms of a clock that does not jump. */
export class Pace {
  readonly #random: () => number;
  #openAt = 0;
  #refusals = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** When submissions are open; not later than `now`: they are. */
  openAt(): number {
    return this.#openAt;
  }

  accepted(told: Told, now: Moment): void {
    this.#refusals = 0;
    const wait = waitOf(told, now.epoch);
    if (wait !== undefined) this.#block(now.monotonic + Math.min(LONGEST_WAIT, wait));
  }

  /** Refused for going too fast. @returns milliseconds until submissions are open again */
  refused(told: Told, now: Moment): number {
    if (now.monotonic >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst is one refusal
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#refusals - 1));
    const given = told.retryAfter && told.retryAfter > 0 ? told.retryAfter : waitOf(told, now.epoch);
    // A little more than asked for: clocks and rounding differ, and a second refusal costs more.
    const asked = given === undefined ? backOff * (0.5 + this.#random() / 2) : given + 20 * this.#random();
    this.#block(now.monotonic + Math.min(LONGEST_WAIT, asked));
    return this.#openAt - now.monotonic;
  }

  #block(until: number): void {
    this.#openAt = Math.max(this.#openAt, until);
  }
}

const MINUTE = 60_000;
const HOUR = 3_600_000;

/**
 * Milliseconds to the next request. `relative` needs no agreement of the two clocks; what the service says in
 * its own time is believed as far as it is possible at all.
 */
function waitOf({ rateLimit }: Told, now: number): number | undefined {
  if (!rateLimit) return undefined;
  const { next, limit } = rateLimit;
  if (next.relative > 0) return next.relative;
  const { minute, hour } = limit;
  const waits = [
    possible(next.absolute - now, HOUR),
    minute.remaining <= 0 ? possible((minute.reset ?? 0) * 1000 - now, MINUTE) : 0,
    hour && hour.remaining <= 0 ? possible((hour.reset ?? 0) * 1000 - now, HOUR) : 0,
  ];
  const longest = Math.max(...waits);
  return longest > 0 ? longest : undefined;
}

function possible(wait: number, longest: number): number {
  return wait > 0 && wait <= longest ? wait : 0;
}
