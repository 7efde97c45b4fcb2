export interface Poll {
  /** When the job is expected to be done, milliseconds since the epoch. */
  readonly eta: number | undefined;
  readonly now: number;
  /** Longest pause between looks, milliseconds */
  readonly longest: number | undefined;
}

const FIRST_PAUSE = 1_000;
const GROWTH = 1.5;
const LONGEST_PAUSE = 5_000;
/** Services allow about one look a second at one job, ours ten in ten seconds: so much, and a little. */
const SHORTEST_LONGEST = 1_100;
/** An eta is an estimate: however far it is, the first look does not wait longer than this. */
const LONGEST_TRUST = 60_000;

/** Pauses between looks at one job: the first until its eta, then 1 s growing to 5 s (or `longest`), without end. */
export function* pollTimes({ eta, now, longest = LONGEST_PAUSE }: Poll): Generator<number, void, void> {
  const untilEta = eta === undefined ? FIRST_PAUSE : eta - now;
  yield Math.min(LONGEST_TRUST, Math.max(0, eta === undefined ? Math.min(untilEta, longest) : untilEta));
  const highest = Math.max(SHORTEST_LONGEST, longest);
  for (let pause = FIRST_PAUSE; ; pause *= GROWTH) yield Math.min(pause, highest);
}
