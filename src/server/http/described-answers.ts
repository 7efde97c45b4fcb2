import type { z } from 'zod';
import { errorAnswerSchema } from '../../protocol/envelope.ts';
import { ERRORS, type ErrorCode } from '../../protocol/errors.ts';
import { type V1ErrorAnswer, v1ErrorAnswerSchema } from '../../protocol/v1.ts';
import type { Refusal } from '../service/refusal.ts';
import type { Via } from '../store/schema/tables.ts';
import { type Answer, isStream, isV1Address, type Route } from './route.ts';
import { delayHeaders, rateLimitHeaders, waitView } from './views.ts';

/** The meaning of each status, for all routes. */
const MEANINGS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted; not done yet',
  204: 'Done; no content',
  302: 'Redirects to another address',
  304: 'Not modified since the caller got it',
  307: "Redirects to another player's picture",
  400: 'The request is not valid',
  401: 'An API key is required',
  403: 'The API key is invalid, or lacks the permission',
  404: 'Not found, or hidden from this caller',
  408: 'The request timed out',
  413: 'The body is too large',
  414: 'The address is too long',
  415: 'The content type is not supported',
  422: 'The request is not valid',
  429: 'Too many requests, jobs or streams; wait',
  431: 'The headers are too many or too large',
  500: 'Internal error of the service',
  502: "Mojang's services are unreachable; pictures are placeholders",
  503: 'Temporarily unavailable',
};

export function meaningOf(status: number): string {
  return MEANINGS[status] ?? (status < 400 ? 'Done' : 'Refused');
}

/** All possible answers at an address: those that the route lists, and those it shares with other routes. */
export function answersAt(route: Route, path: string): Route['answers'] {
  const refusal = isV1Address(path) ? v1ErrorAnswerSchema : errorAnswerSchema;
  const common = commonStatuses(route).map((status): [number, z.ZodType | null] => [status, refusal]);
  if (isTagged(route)) common.push([304, null]);
  return { ...Object.fromEntries(common), ...route.answers };
}

/**
 * Every method except GET and HEAD reads a body, whether or not the route uses it. Any route may refuse a request's
 * headers.
 */
function commonStatuses({ method, authenticated, isVital }: Route): number[] {
  const hasBody = method !== 'GET';
  return [
    400,
    ...(authenticated ? [401, 403] : []),
    ...(hasBody ? [408, 413, 415] : []),
    ...(isVital ? [] : [429]),
    ...[414, 431, 500, 503],
  ];
}

/** Whether answers of the route have an entity tag: streams have none. */
function isTagged(route: Route): boolean {
  return route.method === 'GET' && !isStream(route);
}

const RATE_LIMIT_HEADERS = {
  'X-RateLimit-Limit': 'Requests per minute that the caller may make',
  'X-RateLimit-Remaining': 'Requests left in this minute',
  'X-RateLimit-Reset': 'When all requests are available again, in seconds since the epoch',
  'X-RateLimit-Delay': 'Milliseconds between version 1 requests; 0 for others',
  'X-RateLimit-NextRequest': 'When the caller may send the next request, in milliseconds since the epoch',
};

const DELAY_HEADERS = {
  'MineSkin-Delay': 'Seconds between version 1 requests, rounded up',
  'MineSkin-Delay-Seconds': 'The same',
  'MineSkin-Delay-Millis': 'The same in milliseconds',
};

export const ANSWER_HEADERS = {
  'X-Request-Id': "The request's ID in the logs of the service: the caller's, or a generated one",
  'MineSkin-Server': 'The name of the server, for clients that show it',
  'MineSkin-Breadcrumb': 'Eight digits that identify the request, for clients that show them',
  'X-MineSkin-Server': 'The same as MineSkin-Server, for older clients',
  'X-MineSkin-Breadcrumb': 'The same as MineSkin-Breadcrumb, for older clients',
  ETag: 'Send it in If-None-Match to skip content that you already have',
  Location: 'The new address',
  'Retry-After': 'Seconds to wait',
  'MineSkin-Api-Version': 'The rules that applied to the request: v2, v1, or v1-with-v2-compat',
  'MineSkin-Api-Deprecated': '`true`: a newer version of the interface exists',
  'MineSkin-Version': 'The server program and its version',
  ...DELAY_HEADERS,
  ...RATE_LIMIT_HEADERS,
} as const;
type AnswerHeader = keyof typeof ANSWER_HEADERS;

const COMMON_HEADERS: readonly AnswerHeader[] = [
  'X-Request-Id',
  'MineSkin-Server',
  'MineSkin-Breadcrumb',
  'MineSkin-Api-Version',
  'MineSkin-Version',
];

export function headersOf(route: Route, path: string, status: number): AnswerHeader[] {
  const names: AnswerHeader[] = [...COMMON_HEADERS];
  if (status === 304 || (status === 200 && isTagged(route))) names.push('ETag');
  if (status === 302 || status === 307) names.push('Location');
  if (status === 429) names.push('Retry-After');
  const limits = route.isLimited && (status < 300 || status === 429);
  if (limits) names.push(...(Object.keys(RATE_LIMIT_HEADERS) as AnswerHeader[]));
  if (!isV1Address(path)) return names;
  if (limits) names.push(...(Object.keys(DELAY_HEADERS) as AnswerHeader[]));
  names.push('X-MineSkin-Server', 'X-MineSkin-Breadcrumb', 'MineSkin-Api-Deprecated');
  return names;
}

/** Milliseconds to wait if the time of the next accepted request is unknown. */
const UNKNOWN_WAIT = 1_000;

/** The text that old clients search for instead of the usual sentence. */
const TOO_MANY = 'Too many requests';
const OLD_SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  skin_not_found: 'Skin not found',
};

/** Clients of version 1 read the error code only for these statuses. */
const OLD_STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = { no_account_available: 500 };

/** Errors about the picture or about making its skin; all others are about the request. */
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

/** Headers that state the rules for a request of version 1, and that a newer version exists. */
export function versionHeader(via: Via): Readonly<Record<string, string>> {
  return {
    'MineSkin-Api-Version': via === 'queue' ? 'v1-with-v2-compat' : 'v1',
    'MineSkin-Api-Deprecated': 'true',
  };
}

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

/** Whether clients compare the whole text, so that nothing may be added. */
function isMatched({ code }: Refusal): boolean {
  return code === 'invalid_api_key';
}

/** Version 1 has one text only: the general error, followed by those of the fields. */
function sentenceOf(refusal: Refusal): string {
  const { code, message, details } = refusal;
  if (isMatched(refusal)) return message;
  const old = message === ERRORS[code].message ? OLD_SENTENCES[code] : undefined;
  const [first, ...more] = [old ?? message, ...(details.notes ?? []).map((note) => note.message)];
  return more.length === 0 ? String(first) : [String(first).replace(/[^.]$/, '$&.'), ...more].join(' ');
}
