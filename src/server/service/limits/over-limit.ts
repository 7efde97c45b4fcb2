import { isPending } from '../../../protocol/job.ts';
import { listJobs } from '../../queue/lists.ts';
import type { OverLimit } from '../../queue/port.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import type { Caller } from '../callers/caller.ts';
import { expectedEnd, type ForecastContext } from '../forecast/expected-end.ts';
import { Refusal } from '../refusal.ts';
import { type LimitedRequest, rateLimitOf } from './rate-limit.ts';

/** Shortest wait for a job whose end is overdue or unknown, in milliseconds. */
const LEAST_WAIT = 1_000;
/** Added to an expected end, so that the slot is free by then: a share of the remaining time, and milliseconds. */
const MARGIN = { share: 0.1, ms: 100 } as const;

/** The refusal for a caller over a limit: the reason, and when to retry. */
export async function overLimitRefusal(
  context: ForecastContext,
  over: OverLimit,
  { caller, via }: LimitedRequest,
): Promise<Refusal> {
  const now = context.clock.now();
  const rateLimit = rateLimitOf(over.memory, caller, now, via);
  if (over.kind === 'too_fast') return new Refusal('rate_limit', { rateLimit });
  if (over.kind === 'crowded') {
    const relative = over.opensAt - now;
    const headers = { 'Retry-After': String(Math.ceil(relative / 1000)) };
    const next = { absolute: over.opensAt, relative };
    return new Refusal('anonymous_limit', { headers, rateLimit: { ...rateLimit, next } });
  }
  const blocking = over.kind === 'busy' ? (job: JobRow) => job.via === via : undefined;
  const relative = Math.max(rateLimit.next.relative, await untilOneEnds(context, caller, blocking));
  const details = { rateLimit: { ...rateLimit, next: { absolute: now + relative, relative } } };
  if (over.kind === 'full') {
    const message = `All ${over.pending} of your slots in the queue are taken; send more as jobs finish.`;
    return new Refusal('job_limit', { ...details, message });
  }
  const message = `Wait for your ${over.running === 1 ? 'generation' : `${over.running} generations`} under way to end, or use the queue.`;
  return new Refusal('concurrency_limit', { ...details, message });
}

/** Milliseconds until the first of the caller's pending jobs of this kind ends, as far as is known. */
export async function untilOneEnds(
  context: ForecastContext,
  { owner }: Caller,
  isBlocking: (job: JobRow) => boolean = () => true,
): Promise<number> {
  const jobs = await listJobs(context.db, owner, 1);
  const oldest = jobs.findLast((job) => isPending(job.status) && isBlocking(job));
  if (!oldest) return LEAST_WAIT;
  const now = context.clock.now();
  const expected = ((await expectedEnd(context, oldest)) ?? now) - now;
  if (expected > 0) return Math.ceil(expected * (1 + MARGIN.share)) + MARGIN.ms;
  // A job that has taken some time may well take as much again.
  return Math.max(LEAST_WAIT, now - oldest.created_at);
}

/**
 * The refusal in the form of POST /v2/generate. Its clients wait and retry if the first code is `rate_limit`, and give
 * up on any other. Some take the wait from the message.
 */
export function toldAsRateLimit(refusal: Refusal): Refusal {
  const { code, cause, details } = refusal;
  if (code !== 'job_limit' && code !== 'rate_limit') return refusal;
  const { notes = [] } = details;
  const first = code === 'job_limit' ? [{ code, message: refusal.message }] : [];
  return new Refusal('rate_limit', {
    ...details,
    message: messageWithWait(refusal),
    cause,
    notes: [...first, ...notes],
  });
}

/** As the hosted service words it. */
function messageWithWait({ message, details: { rateLimit } }: Refusal): string {
  if (!rateLimit) return message;
  return `${message.replace(/\.$/, '')}, next request in ${Math.ceil(rateLimit.next.relative)}ms`;
}
