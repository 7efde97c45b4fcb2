import { AWAKE, type Clock } from './clock.ts';

/** Sleeps for `ms`, or until `signal` aborts, which is no error. */
export async function sleepOrWake(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/**
 * Waits for an event, at most `ms` (undefined: without a limit).
 * @param listen subscribes at once; gets the function to call at the event, and returns the one that unsubscribes
 */
export async function sleepOrEvent(
  clock: Clock,
  ms: number | undefined,
  listen: (wake: () => void) => () => void,
): Promise<void> {
  let stop: (() => void) | undefined;
  let silence: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      stop = listen(resolve);
      if (ms !== undefined) silence = setAlarm(clock, ms, { ring: resolve, fail: reject });
    });
  } finally {
    stop?.();
    silence?.();
  }
}

interface Alarm {
  readonly ring: () => void;
  /** The clock is broken. */
  readonly fail: (error: unknown) => void;
}

function setAlarm(clock: Clock, ms: number, { ring, fail }: Alarm): () => void {
  if (clock.alarm) return clock.alarm(ms, ring);
  const timer = new AbortController();
  sleepOrWake(clock, ms, timer.signal).then(ring, fail);
  return () => timer.abort(AWAKE);
}

/** Milliseconds: the first pause, and the longest; each is `growth` times as long as the one before. Default: twice. */
interface BackOff {
  readonly first: number;
  readonly longest: number;
  readonly growth?: number;
}

/**
 * The pause after so many failures in a row. `random`: 0 to 1; up to half of the pause is left to it, so that those who
 * failed together do not return together.
 */
export function backOff(failures: number, { first, longest, growth = 2 }: BackOff, random = 1): number {
  return Math.min(longest, first * growth ** (failures - 1)) * (0.5 + random / 2);
}
