import type { Clock } from '../../../base/clock.ts';
import type { ErrorCode } from '../../../protocol/errors.ts';
import type { Db } from '../../store/db.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { readRateLimit } from './rate-limit.ts';

/**
 * Errors to which no rate limit is added: the request is malformed, the caller no longer known, or the store better not
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
 * The same error, with the caller's rate limit where clients of version 2 expect it. A 429 stays as it is: it knows best
 * how long to wait.
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
