/** Carries short texts between the processes that use the same store, at once and without a promise: any may be lost. */
export interface Bell {
  /** Tells all others; at most `LONGEST_RING` bytes. */
  ring(text: string): void;
  /** Calls back with what others tell. */
  onRung(listener: (text: string) => void): void;
}

/** Bytes. */
export const LONGEST_RING = 7_000;
