import { SETTLES_LATE } from '../../../dispatch/lag.ts';
import type { UpstreamJobRow } from '../../store/schema/job-tables.ts';

type Sent = Pick<UpstreamJobRow, 'sender' | 'sending_until' | 'settles_at'>;

/** Milliseconds after its time limit by which a request has certainly ended, however busy its process is. */
const GRACE = 1_000;

/** The time until which a request counts as in progress if it starts now and may take `timeout` milliseconds. */
export function sendingUntil(now: number, timeout: number): number {
  return now + timeout + GRACE;
}

/**
 * Whether a process may be sending it right now, so that it must neither be resent nor considered lost. `timeout`: time
 * limit of a request; a sender that claims a longer time had a different clock. `gone`: senders that are gone.
 */
export function isBeingSent(
  { sender, sending_until: until, settles_at }: Sent,
  { now, timeout, gone }: { now: number; timeout: number; gone: ReadonlySet<string> },
): boolean {
  if (settles_at !== null || sender === null || gone.has(sender)) return false;
  return now <= until && until <= sendingUntil(now, timeout);
}

/** Milliseconds from now until its job is listed, if it arrived. A sender that is gone may have sent it just now. */
export function settlesIn({ settles_at }: Sent, now: number): number {
  return settles_at === null ? SETTLES_LATE : Math.min(SETTLES_LATE, Math.max(0, settles_at - now));
}
