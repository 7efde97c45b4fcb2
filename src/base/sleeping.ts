import { AWAKE, type Clock } from './clock.ts';

/** Sleeps for `ms`, or until `signal` aborts, which is no error. */
export async function sleepOrWake(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/**
 * Waits for an event, but no longer than `ms` (undefined: however long it takes).
 * @param listen called at once with the function to call at the event; answers the one that stops the listening
 */
export async function sleepOrEvent(
  clock: Clock,
  ms: number | undefined,
  listen: (wake: () => void) => () => void,
): Promise<void> {
  const timer = new AbortController();
  let stop: (() => void) | undefined;
  const heard = new Promise<void>((resolve) => {
    stop = listen(resolve);
  });
  const late = ms === undefined ? heard : sleepOrWake(clock, ms, timer.signal);
  try {
    await Promise.race([heard, late]);
  } finally {
    stop?.();
    timer.abort(AWAKE);
  }
}
