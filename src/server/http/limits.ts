import { REQUEST_LIMITS, type RequestLimits } from '../service/limits/request-limiter.ts';
import { Refusal } from '../service/refusal.ts';

/** Limits for connections, before their requests are known. Milliseconds, bytes. */
export interface NetworkLimits extends RequestLimits {
  /** Maximum number of open connections; idle unauthenticated ones make room for new ones. */
  readonly maxConnections: number;
  /** The same for one address, excluding connections that have sent a valid key. */
  readonly maxConnectionsPerAddress: number;
  /** How long an answer may wait for a peer that does not read: longer than the silences of a stream. */
  readonly unreadTimeout: number;
  /** Total bytes of the incomplete bodies from callers without a key. */
  readonly maxUnfinished: number;
  /** Time from the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** How long an idle connection is kept. */
  readonly keepAliveTimeout: number;
}

export const NETWORK_LIMITS: NetworkLimits = {
  maxConnections: 2_000,
  maxConnectionsPerAddress: 100,
  unreadTimeout: 20_000,
  maxUnfinished: 32 * 1024 * 1024,
  ...REQUEST_LIMITS,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
};

/** Bytes of a JSON or form body: several times the longest data URL. */
export const BODY_LIMIT = 128 * 1024;
/** Longest value in the path of an address, in characters. */
export const MAX_PARAM_LENGTH = 128;
const MAX_URL = 8 * 1024;

/** @throws Refusal with status 414 */
export function verifyUrlLength(url: string): void {
  if (url.length > MAX_URL) throw urlTooLong();
}

export function urlTooLong(): Refusal {
  return new Refusal('invalid_request', { status: 414, message: 'The address is too long.' });
}

export function malformedUrl(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { message: 'The address is not well-formed.', cause });
}

export function bodyTooLarge(cause?: unknown): Refusal {
  return new Refusal('invalid_file', { status: 413, message: 'The body is too large for a skin.', cause });
}

export function tooManyFields(): Refusal {
  return new Refusal('invalid_request', { message: 'The form has too many fields.' });
}

export function tooManyFiles(): Refusal {
  return new Refusal('invalid_request', { message: 'Send one file only.' });
}

export function forbiddenField(): Refusal {
  return new Refusal('invalid_request', { message: 'The form has a field of a forbidden name.' });
}
