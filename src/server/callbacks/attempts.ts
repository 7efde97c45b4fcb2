/** The result of a delivery: the receiver's HTTP status, or why the request failed. */
export type Outcome = { readonly status: number } | { readonly error: string };

/** `again`: in `wait` ms. */
export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly wait: number }
  | { readonly kind: 'given_up' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Milliseconds between a failed attempt and the next one. */
export const WAITS: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
/** The receiver wants no further deliveries. */
const GONE = 410;

/** @param attempts number of attempts, including this one */
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
