import { ERRORS, type ErrorCode } from '../../../protocol/errors.ts';
import type { V1ErrorAnswer } from '../../../protocol/v1.ts';
import type { Refusal } from '../../service/refusal.ts';
import type { Via } from '../../store/schema/tables.ts';
import type { Answer } from '../route.ts';
import { rateLimitHeaders } from '../views.ts';
import { delayHeaders, waitView } from './views.ts';

/** Milliseconds to wait if the time of the next accepted request is unknown. */
const UNKNOWN_WAIT = 1_000;

/** The text that old clients look for instead of the usual sentence. */
const TOO_MANY = 'Too many requests';
const OLD_SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  skin_not_found: 'Skin not found',
};

/** Clients of version 1 read the error code only if the status is one of these. */
const OLD_STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = { no_account_available: 500 };

/** Errors about the picture or about making a skin of it; all others are about the request. */
const ABOUT_GENERATING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_image',
  'blocked_image',
  'invalid_image_url',
  'invalid_user',
  'no_duplicate',
  'generator_timeout',
  'skin_change_failed',
  'invalid_skin_data',
  'job_failed',
  'no_account_available',
]);

/** Headers that state which rules applied to a request of version 1, and that there is a newer version. */
export function versionHeader(via: Via): Readonly<Record<string, string>> {
  return {
    'MineSkin-Api-Version': via === 'queue' ? 'v1-with-v2-compat' : 'v1',
    'MineSkin-Api-Deprecated': 'true',
  };
}

/** A refusal in the format of version 1. */
export function v1RefusalAnswer(refusal: Refusal): Answer {
  const { rateLimit, headers, notes = [] } = refusal.details;
  const retry = refusal.status === 429;
  const wait = waitView(rateLimit?.next.relative || (retry ? UNKNOWN_WAIT : 0));
  const body: V1ErrorAnswer = {
    success: false,
    error: retry ? TOO_MANY : sentenceOf(refusal),
    errorCode: refusal.code,
    errorType: ABOUT_GENERATING.has(refusal.code) ? 'GeneratorError' : 'MineSkinError',
    ...wait,
    nextRequest: wait.delay, // seconds from now, as in answers with a skin: clients sleep that long
    ...(isMatched(refusal) && notes.length > 0 && { warnings: [...notes] }),
  };
  return {
    status: OLD_STATUSES[refusal.code] ?? refusal.status,
    body,
    headers: {
      ...versionHeader('v1'),
      ...headers,
      ...(rateLimit && { ...rateLimitHeaders(rateLimit, { retry }), ...delayHeaders(rateLimit) }),
    },
  };
}

/** Whether clients compare the whole text with a known one, so that nothing may be added to it. */
function isMatched({ code }: Refusal): boolean {
  return code === 'invalid_api_key';
}

/** There is room for one text only: the errors of the fields follow the general one. */
function sentenceOf(refusal: Refusal): string {
  const { code, message, details } = refusal;
  if (isMatched(refusal)) return message;
  const old = message === ERRORS[code].message ? OLD_SENTENCES[code] : undefined;
  const [first, ...more] = [old ?? message, ...(details.notes ?? []).map((note) => note.message)];
  return more.length === 0 ? String(first) : [String(first).replace(/[^.]$/, '$&.'), ...more].join(' ');
}
