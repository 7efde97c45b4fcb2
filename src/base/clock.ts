/** Time as it is passed in, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start: for durations, because it never jumps as `now` may. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `ring` after `ms`, unless the returned function is called first. For sleeps that are mostly cut short: it
   * needs no promise and no signal. Without it, `sleep` is used.
   */
  alarm?(ms: number, ring: () => void): () => void;
}

/** The longest delay of a timer, milliseconds: Node takes a longer one for 1 ms. */
export const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Node's own makes an error with a stack for each sleep that is cut short, and most are.
  sleep: async (ms, signal) =>
    await new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const wake = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', wake);
        resolve();
      }, timerTime(ms));
      signal?.addEventListener('abort', wake, { once: true });
    }),
  alarm: (ms, ring) => {
    const timer = setTimeout(ring, timerTime(ms));
    return () => clearTimeout(timer);
  },
};

/** Node warns of a negative time, which is over already. */
function timerTime(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_TIMER);
}

/** The abort reason that cuts a sleep of our own short: a text, because making an error with its stack takes long. */
export const AWAKE = 'awake';

/** Sleeps for `ms`, or until `signal` aborts, which is not an error. */
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
 * The pause after so many failures in a row. `random`: 0 to 1; it decides up to half of the pause, so that callers that
 * failed together do not return together.
 */
export function backOff(failures: number, { first, longest, growth = 2 }: BackOff, random = 1): number {
  return Math.min(longest, first * growth ** (failures - 1)) * (0.5 + random / 2);
}

/** Wakes a task that waits for a change. A notification without a waiter is remembered once. */
export class WakeUpSignal {
  readonly #clock: Clock;
  #isNotified = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Resolves at the next notification, at once if there was one since the last wait, or after `ms`; rejects when aborted. */
  async wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isNotified) await this.#race(ms, signal);
    this.#isNotified = false;
    signal.throwIfAborted();
  }

  async #race(ms: number | undefined, signal: AbortSignal): Promise<void> {
    await sleepOrEvent(this.#clock, ms, (wake) => {
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
      return () => {
        this.#wake = undefined;
        signal.removeEventListener('abort', wake);
      };
    });
  }
}

/** How work on a service is ended, in two steps. */
export interface StopSignals {
  /** No more submissions once aborted; those in flight may still finish. */
  readonly stop: AbortSignal;
  /** Also aborts requests in flight. */
  readonly hardStop: AbortSignal;
}
