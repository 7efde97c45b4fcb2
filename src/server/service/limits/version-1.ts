import type { Clock } from '../../../base/clock.ts';
import type { RateLimit } from '../../../protocol/envelope.ts';
import type { ErrorCode } from '../../../protocol/errors.ts';
import type { Db } from '../../store/db.ts';
import type { Via } from '../../store/schema/tables.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { type LimitedRequest, readRateLimit } from './rate-limit.ts';

/**
 * Decides whether the request goes through the queue: the caller's key may require it for all requests, and each
 * request may ask for it.
 */
export function viaFor(caller: Caller, isAskedFor: boolean): Via {
  const isSetting = caller.kind === 'user' && caller.key?.v2Compat === true;
  return isAskedFor || isSetting ? 'queue' : 'v1';
}

/**
 * The wait after a new skin that a caller is given, in milliseconds: the whole delay, although it started when the
 * request was accepted. Old clients measure it from different moments, and none of them may retry too early.
 */
export function waitAfterNew({ next, delay }: RateLimit): number {
  return Math.max(next.relative, delay.millis);
}

/** Errors after which the store is better not queried again. */
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
