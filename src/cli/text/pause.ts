import { momentAt, span } from './quantities.ts';
import { oneLine } from './text.ts';

/** The reason for a wait and its length. */
export interface PauseView {
  readonly message: string;
  /** Remaining milliseconds. */
  readonly ms: number;
  /** End of the wait, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Describes a wait: its reason, its length and its end. `now`: milliseconds since the epoch. `width`: the columns that
 * there are; the reason is cut to leave room for the rest.
 */
export function pauseText({ message, ms, at }: PauseView, now: number, width?: number): string {
  const reason = /[.!?]$/.test(message) ? message : `${message}.`; // a service's own words may lack the end
  const rest = ` Retrying in ${span(ms / 1_000)}, at ${momentAt(at, now)}; Ctrl-C is safe.`;
  return (width === undefined ? reason : oneLine(reason, Math.max(1, width - rest.length))) + rest;
}
