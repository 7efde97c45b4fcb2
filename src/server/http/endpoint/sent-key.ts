import type { Note } from '../../../protocol/envelope.ts';
import type { HttpRequest } from '../request.ts';
import { isV1Address } from '../v1-address.ts';

/** The API key of a request, however it was sent. */
export interface SentKey {
  /** As a value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Whether it was sent without the word Bearer: then it may be something else, for a proxy in front. */
  readonly isBare: boolean;
  /** Warnings for the answer. */
  readonly warnings: readonly Note[];
}

const BARE: Note = {
  code: 'deprecated',
  message: 'Send the API key as "Authorization: Bearer <key>", with the word Bearer before it.',
};
const IN_QUERY: Note = {
  code: 'deprecated',
  message:
    'An API key in the address ends up in the logs of others: send it as "Authorization: Bearer <key>".',
};

const NO_KEY: Note = {
  code: 'no_api_key',
  message: 'The Authorization header has no API key: send it as "Authorization: Bearer <key>".',
};

/**
 * A header without a key counts as none, as on the hosted service: programs send an empty key for a setting that is
 * empty, and a proxy in front passes its own credentials on.
 */
function hasNoKey(authorization: string): boolean {
  return !/^Bearer\s+\S/i.test(authorization);
}

/** The warning for a header of one word that is no key of this service. */
export const UNKNOWN_BARE: Note = {
  code: 'no_api_key',
  message:
    'The Authorization header has no API key of this service, so the limits for anonymous callers apply: send a key as "Authorization: Bearer <key>".',
};

/** Old clients send the key without `Bearer`, and to version 1 as `key` in the query. The header takes precedence. */
export function readSentKey(request: HttpRequest): SentKey {
  const { authorization } = request.headers as { authorization?: string };
  if (authorization !== undefined && /^\S{16,}$/.test(authorization))
    return { authorization: `Bearer ${authorization}`, isBare: true, warnings: [BARE] };
  if (authorization !== undefined && !hasNoKey(authorization))
    return { authorization, isBare: false, warnings: [] };
  const key = keyInQuery(request);
  if (key !== undefined) return { authorization: `Bearer ${key}`, isBare: false, warnings: [IN_QUERY] };
  return { authorization: undefined, isBare: false, warnings: authorization === undefined ? [] : [NO_KEY] };
}

function keyInQuery({ query, url }: HttpRequest): string | undefined {
  if (!isV1Address(url)) return undefined;
  const key = (query as Readonly<Record<string, unknown>> | undefined)?.['key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}
