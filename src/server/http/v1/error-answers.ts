import { ERRORS, type ErrorCode } from '../../../protocol/errors.ts';
import type { V1ErrorAnswer } from '../../../protocol/v1.ts';
import type { Refusal } from '../../service/refusal.ts';
import type { V1Via } from '../../service/v1.ts';
import type { Answer } from '../route.ts';
import { rateLimitHeaders } from '../views.ts';
import { waitView } from './views.ts';

/** Milliseconds to wait where nobody knows when the next request will be taken. */
const UNKNOWN_WAIT = 1_000;

/** What old clients look for instead of the usual sentence. */
const TOO_MANY = 'Too many requests';
const OLD_SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_api_key: 'Invalid API Key',
  skin_not_found: 'Skin not found',
};

/** What is wrong with the picture or with making a skin of it; all the rest is about the request. */
const ABOUT_GENERATING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_image',
  'invalid_image_url',
  'invalid_user',
  'no_duplicate',
  'generator_timeout',
  'skin_change_failed',
  'invalid_skin_data',
  'job_failed',
  'no_account_available',
]);

/** The header that says by which rules a request of version 1 was taken. */
export function versionHeader(via: V1Via): Readonly<Record<string, string>> {
  return { 'MineSkin-Api-Version': via === 'queue' ? 'v1-with-v2-compat' : 'v1' };
}

/** Whether an address is one of version 1, where all is answered in its format. Proxies are sent whole URLs. */
export function isV1Address(url: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/+(?:generate|get)(?:[/?#]|$)/.test(url);
}

/** A refusal in the format of version 1. `now`: milliseconds since the epoch. */
export function v1RefusalAnswer(refusal: Refusal, now: number): Answer {
  const { rateLimit, headers } = refusal.details;
  const retry = refusal.status === 429;
  const wait = rateLimit?.next.relative || (retry ? UNKNOWN_WAIT : 0);
  const body: V1ErrorAnswer = {
    success: false,
    error: retry ? TOO_MANY : sentenceOf(refusal),
    errorCode: refusal.code,
    errorType: ABOUT_GENERATING.has(refusal.code) ? 'GeneratorError' : 'MineSkinError',
    nextRequest: Math.ceil((now + wait) / 1000),
    ...waitView(wait),
  };
  return {
    status: refusal.status,
    body,
    headers: { ...versionHeader('v1'), ...headers, ...(rateLimit && rateLimitHeaders(rateLimit, { retry })) },
  };
}

/** There is room for one text: what is wrong with each field stands behind what is wrong in all. */
function sentenceOf({ code, message, details }: Refusal): string {
  const old = message === ERRORS[code].message ? OLD_SENTENCES[code] : undefined;
  return [old ?? message, ...(details.notes ?? []).map((note) => note.message)].join(' ');
}
