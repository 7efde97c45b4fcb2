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
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', wake);
          resolve();
        },
        Math.min(ms, LONGEST_TIMER),
      );
      signal?.addEventListener('abort', wake, { once: true });
    }),
  alarm: (ms, ring) => {
    const timer = setTimeout(ring, Math.min(ms, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};

/** The abort reason that cuts a sleep of our own short: a text, because making an error with its stack takes long. */
export const AWAKE = 'awake';
