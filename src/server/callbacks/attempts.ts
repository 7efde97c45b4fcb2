/** What came of a delivery: the receiver's HTTP status, or why it could not be asked. */
export type Outcome = { readonly status: number } | { readonly error: string };

/** `again`: in `wait` ms. */
export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly wait: number }
  | { readonly kind: 'given_up' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Milliseconds between an attempt that failed and the next. */
export const WAITS: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
/** The receiver says that it wants no more of this. */
const GONE = 410;

/** @param attempts how many there have been, this one included */
export function stepAfter(outcome: Outcome, attempts: number): NextStep {
  if ('status' in outcome) {
    if (outcome.status >= 200 && outcome.status < 300) return { kind: 'done' };
    if (outcome.status === GONE) return { kind: 'given_up' };
  }
  const wait = WAITS[attempts - 1];
  return wait === undefined ? { kind: 'given_up' } : { kind: 'again', wait };
}

/** For the log. */
export function describeOutcome(outcome: Outcome): string {
  return 'status' in outcome ? `HTTP ${outcome.status}` : outcome.error;
}
