import { type Answer, note, page } from './answers.ts';
import { makeRateLimitInfo } from './rate-limits.ts';
import { HostedRefusal, InvalidRequest } from './refusals.ts';
import type { Visit } from './visit.ts';

/** `v2ErrorHandler`: a body of nothing but `success`, `errors` and, where limits are known, `rateLimit`. */
export function errorAnswer(error: unknown, visit: Visit): Answer {
  if (error instanceof HostedRefusal) {
    const { status, errors } = error;
    const rateLimit = makeRateLimitInfo(visit, status);
    return { status, headers: visit.headers, content: { success: false, rateLimit, errors } };
  }
  if (error instanceof InvalidRequest) {
    const errors = [note('validation_error', 'Validation error'), ...error.issues];
    return { status: 400, headers: visit.headers, content: { success: false, errors } };
  }
  throw error;
}

export function internalError(): Answer {
  const errors = [note('internal_error', 'An internal error occurred')];
  return { status: 500, headers: {}, content: { success: false, errors } };
}

/** `v2NotFoundHandler` for GET; for other methods and paths what Express answers by itself. */
export function notFoundAnswer({ request: { method, address } }: Visit): Answer {
  if (method !== 'GET' || !address.startsWith('/v2/')) return page(404, `Cannot ${method} ${address}`);
  const errors = [note('not_found', `Not found (${address})`)];
  return { status: 404, headers: {}, content: { success: false, errors } };
}
