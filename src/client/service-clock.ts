import type { Clock } from '../base/clock.ts';

/** The resolution of a `Date` header, milliseconds. */
const HEADER_RESOLUTION = 1_000;
/** A time further off than this is not a current time, or not in milliseconds. */
const PLAUSIBLE = 24 * 60 * 60_000;

/** Bounds on how far the service's clock is ahead of ours, milliseconds. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * The service's clock as its answers show it: from `Date` headers, accurate to a second, and from the times
 * of jobs created during a request, accurate to the duration of that request. Until an answer shows it,
 * the two clocks are assumed to agree.
 */
export class ServiceClock {
  readonly #clock: Pick<Clock, 'now'>;
  #ahead: Bounds | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The service's current time, milliseconds since the epoch. */
  now(): number {
    const { least, most } = this.#ahead ?? { least: 0, most: 0 };
    return this.#clock.now() + (least + most) / 2;
  }

  /** The earliest time it may be there: a moment before this has certainly passed on the service's clock. */
  earliest(): number {
    return this.#clock.now() + (this.#ahead?.least ?? 0);
  }

  /** An answer's `Date` header. `sentAt`: when its request was sent, by our clock. */
  sawDate(header: string | string[] | undefined, sentAt: number): void {
    const time = typeof header === 'string' ? Date.parse(header) : Number.NaN;
    if (Number.isNaN(time)) return;
    const bounds = { least: time - this.#clock.now(), most: time + HEADER_RESOLUTION - sentAt };
    // Without an overlap one of the clocks was set, so only the new value counts.
    this.#ahead = overlap(this.#ahead, bounds) ?? bounds;
  }

  /** A time by the service's clock between the sending of a request and now. A `Date` header takes precedence. */
  sawMoment(time: number | undefined, sentAt: number): void {
    if (time === undefined || Math.abs(time - this.#clock.now()) > PLAUSIBLE) return;
    const bounds = { least: time - this.#clock.now(), most: time - sentAt };
    this.#ahead = overlap(this.#ahead, bounds) ?? this.#ahead;
  }
}

function overlap(known: Bounds | undefined, seen: Bounds): Bounds | undefined {
  if (!known) return seen;
  const least = Math.max(known.least, seen.least);
  const most = Math.min(known.most, seen.most);
  return least <= most ? { least, most } : undefined;
}
