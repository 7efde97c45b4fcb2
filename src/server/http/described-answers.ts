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
  202: 'Taken; it is not done yet',
  204: 'Done; there is nothing to say',
  302: 'It is at another address',
  304: 'The caller has it already',
  307: 'Another player stands for this one',
  400: 'The request is not valid',
  401: 'An API key is needed',
  403: 'The API key is not valid here, or may not do this',
  404: 'Nothing is there, or not for this caller',
  408: 'The request timed out',
  413: 'The body is too large',
  414: 'The address is too long',
  415: 'Bodies of this content type are not read',
  422: 'The request is not valid',
  429: 'Too many requests, jobs or streams: wait',
  431: 'There are too many headers, or they are too large',
  500: 'It failed inside the service',
  502: 'The services of the game cannot be asked; a picture is a stand-in',
  503: 'The service cannot do this now',
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
 * A body is read for every method except GET and HEAD, whether or not the route uses one. The head of a request may be
 * refused on any route.
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
  'X-RateLimit-Limit': 'Requests a minute that the caller may make',
  'X-RateLimit-Remaining': 'How many of them are left',
  'X-RateLimit-Reset': 'When all of them are there again, in seconds since the epoch',
  'X-RateLimit-Delay': 'Milliseconds between requests of version 1; 0 for all others',
  'X-RateLimit-NextRequest': 'When the next request may be sent, in milliseconds since the epoch',
};

const DELAY_HEADERS = {
  'MineSkin-Delay': 'Seconds between requests of version 1, rounded up',
  'MineSkin-Delay-Seconds': 'The same',
  'MineSkin-Delay-Millis': 'The same in milliseconds',
};

/** Headers of answers, with their descriptions. */
export const ANSWER_HEADERS = {
  'X-Request-Id': 'The request in the logs of the service: as the caller named it, or a name of its own',
  'MineSkin-Server': 'Who answers, for clients that tell it',
  'MineSkin-Breadcrumb': 'Eight digits that stand for the request, for clients that tell it',
  'X-MineSkin-Server': 'The same as MineSkin-Server, for older clients',
  'X-MineSkin-Breadcrumb': 'The same as MineSkin-Breadcrumb, for older clients',
  ETag: 'Sent back in If-None-Match, it spares what the caller has already',
  Location: 'Where it is',
  'Retry-After': 'Seconds to wait',
  'MineSkin-Api-Version': 'By which rules the request was taken: v2, v1, or v1-with-v2-compat',
  'MineSkin-Api-Deprecated': '`true`: there is a newer version of the interface',
  'MineSkin-Version': 'The program that answers, and its version',
  ...DELAY_HEADERS,
  ...RATE_LIMIT_HEADERS,
} as const;
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

const COMMON_HEADERS: readonly AnswerHeader[] = [
  'X-Request-Id',
  'MineSkin-Server',
  'MineSkin-Breadcrumb',
  'MineSkin-Api-Version',
  'MineSkin-Version',
];

/** Headers of the answer with this status. */
export function headersOf(route: Route, path: string, status: number): AnswerHeader[] {
  const names: AnswerHeader[] = [...COMMON_HEADERS];
  if (status === 304 || (status === 200 && isTagged(route))) names.push('ETag');
  if (status === 302 || status === 307) names.push('Location');
  if (status === 429) names.push('Retry-After');
  if (route.isLimited && (status < 300 || status === 429)) {
    names.push(...(Object.keys(RATE_LIMIT_HEADERS) as AnswerHeader[]));
  }
  if (isV1Address(path) && route.isLimited && (status < 300 || status === 429)) {
    names.push(...(Object.keys(DELAY_HEADERS) as AnswerHeader[]));
  }
  if (isV1Address(path)) names.push('X-MineSkin-Server', 'X-MineSkin-Breadcrumb', 'MineSkin-Api-Deprecated');
  return names;
}

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
