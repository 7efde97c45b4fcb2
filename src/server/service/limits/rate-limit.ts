import type { Clock } from '../../../base/clock.ts';
import type { RateLimit, RateLimitWindow } from '../../../protocol/envelope.ts';
import type { ErrorCode } from '../../../protocol/errors.ts';
import { emptyAt, HOUR, MINUTE, type Spent, totalOf, type WindowShape } from '../../fairness.ts';
import { opensAt, VIA_RULES } from '../../queue/enqueue.ts';
import { type CallerMemory, currentMemory, recallCaller } from '../../store/callers.ts';
import type { Db } from '../../store/db.ts';
import type { Via } from '../../store/schema/tables.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';

/** A request to which a caller's limits apply. */
export interface LimitedRequest {
  readonly caller: Caller;
  /** The route by which it came; the rules depend on it. */
  readonly via: Via;
}

/** The caller's current rate limit for another request by `via`. */
export async function readRateLimit(
  db: Db,
  caller: Caller,
  now: number,
  via: Via = 'queue',
): Promise<RateLimit> {
  return rateLimitOf(await recallCaller(db, caller.owner, now), caller, now, via);
}

export function rateLimitOf(
  remembered: CallerMemory,
  { plan }: Caller,
  now: number,
  via: Via = 'queue',
): RateLimit {
  const memory = currentMemory(remembered, now);
  const next = opensAt(memory, plan, { via, now });
  const delay = VIA_RULES[via].delay(plan);
  const minute = windowOf(memory.minute, MINUTE, { limit: plan.perMinute, now });
  return {
    next: { absolute: next, relative: next - now },
    delay: { millis: delay, seconds: Math.ceil(delay / 1000) },
    limit: { ...minute, minute, hour: windowOf(memory.hour, HOUR, { limit: plan.perHour, now }) },
  };
}

/** `reset`: when the whole limit is available again. */
function windowOf(
  spent: Spent,
  shape: WindowShape,
  { limit, now }: { limit: number; now: number },
): RateLimitWindow {
  const used = totalOf(spent);
  const reset = Math.ceil(emptyAt(spent, shape, now) / 1000);
  return { limit, remaining: Math.max(0, limit - used), used, reset };
}

/**
 * Errors without a rate limit: the request is malformed, the caller is no longer known, or the store should not be
 * queried again.
 */
const UNTOLD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'validation_error',
  'invalid_api_key',
  'internal_error',
  'service_unavailable',
  'store_unreachable',
]);

/**
 * The same error with the caller's rate limit, as clients of version 2 expect. A 429 stays as it is, because it has
 * its own wait.
 */
export async function withLimits(
  context: { readonly db: Db; readonly clock: Clock },
  error: unknown,
  caller: Caller,
): Promise<unknown> {
  if (!(error instanceof Refusal) || !lacksLimits(error)) return error;
  const { code, message, cause, details } = error;
  try {
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    return new Refusal(code, { ...details, message, cause, rateLimit });
  } catch {
    return error; // why the request was refused matters more
  }
}

function lacksLimits({ code, status, details }: Refusal): boolean {
  return details.rateLimit === undefined && status !== 429 && !UNTOLD.has(code);
}

/**
 * Decides whether the request goes through the queue: the caller's key may require it for all requests, and each
 * request may ask for it.
 */
export function viaFor(caller: Caller, isAskedFor: boolean): Via {
  const isSetting = caller.kind === 'user' && caller.key?.v2Compat === true;
  return isAskedFor || isSetting ? 'queue' : 'v1';
}

/**
 * The wait after a new skin in an answer, in milliseconds: the whole delay, although it started when the request was
 * accepted. Old clients measure it from different moments, and none of them may retry too early.
 */
export function waitAfterNew({ next, delay }: RateLimit): number {
  return Math.max(next.relative, delay.millis);
}

/** Errors after which the store should not be queried again. */
const OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['internal_error', 'service_unavailable']);

/** The same refusal, with the time at which the next request may come and the rules that applied to it. */
export async function refusalWithPace(
  context: { readonly db: Db; readonly clock: Clock },
  { code, message, cause, details }: Refusal,
  { caller, via, headers }: LimitedRequest & { readonly headers: Readonly<Record<string, string>> },
): Promise<Refusal> {
  const isTold = OURS.has(code) || details.rateLimit !== undefined;
  if (isTold)
    return new Refusal(code, { ...details, message, cause, headers: { ...details.headers, ...headers } });
  const rateLimit = await readRateLimit(context.db, caller, context.clock.now(), via);
  return new Refusal(code, { ...details, message, cause, headers, rateLimit });
}
