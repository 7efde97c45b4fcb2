/** Carries short texts between the processes that use the same store, at once and without a promise: any may be lost. */
export interface Notifier {
  /** Tells all others; at most `LONGEST_NOTIFICATION` bytes. */
  notify(text: string): void;
  /** Calls back with what others tell. */
  onNotification(listener: (text: string) => void): void;
}

/** Bytes. */
export const LONGEST_NOTIFICATION = 7_000;
