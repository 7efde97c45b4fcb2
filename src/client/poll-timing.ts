export interface Poll {
  /** When the job is expected to be done, milliseconds since the epoch by the service's clock. */
  readonly eta: number | undefined;
  /** The service's clock. */
  readonly now: number;
  /** Longest pause between polls, milliseconds; default 5,000, at least 1,100 after the first. */
  readonly longest: number | undefined;
}

const FIRST_PAUSE = 1_000;
const GROWTH = 1.5;
const LONGEST_PAUSE = 5_000;
/** Services allow about one poll a second per job, ours ten in ten seconds: this adds a small margin. */
const SHORTEST_LONGEST = 1_100;
/** An eta is only a hint: the first poll never waits longer than a usual job takes. */
const LONGEST_TRUST = 3_000;

/**
 * Endless pauses between polls of one job, milliseconds: first until its eta, 3 s at most, or 1 s without one; then 1 s
 * growing to 5 s, or to `longest`.
 */
export function* pollTimes({ eta, now, longest = LONGEST_PAUSE }: Poll): Generator<number, void, void> {
  const untilEta = eta === undefined ? FIRST_PAUSE : eta - now;
  yield Math.min(LONGEST_TRUST, Math.max(0, eta === undefined ? Math.min(untilEta, longest) : untilEta));
  const highest = Math.max(SHORTEST_LONGEST, longest);
  for (let pause = FIRST_PAUSE; ; pause *= GROWTH) yield Math.min(pause, highest);
}
