import type { Refusal } from '../service/refusal.ts';
import type { Answer } from './route.ts';
import { rateLimitHeaders } from './views.ts';

/** The answer for a refusal. Never contains a stack, a path or an SQL text. */
export function refusalAnswer(refusal: Refusal): Answer {
  const { notes = [], links = {}, rateLimit, headers } = refusal.details;
  const errors = [{ code: refusal.code, message: refusal.message }, ...notes];
  const body = { success: false, errors, warnings: [], messages: [], links, ...(rateLimit && { rateLimit }) };
  const retry = refusal.status === 429;
  return {
    status: refusal.status,
    body,
    headers: { ...headers, ...(rateLimit && rateLimitHeaders(rateLimit, { retry })) },
  };
}
