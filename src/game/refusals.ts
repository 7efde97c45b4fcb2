import { z } from 'zod';
import { GameError, type GameErrorKind } from './errors.ts';
import type { GameAnswer } from './http.ts';

/** What is known of a refused request beside its answer. */
export interface RefusedRequest {
  /** Method, host and path. */
  readonly what: string;
  /** What is cut out of anything the service says: it may echo it. */
  readonly secret: string | undefined;
  /** What a status means for this request, where that differs from the table. */
  readonly meanings: Readonly<Record<number, GameErrorKind>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const MEANINGS: Readonly<Record<number, GameErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** No service means more than an hour; a longer wait is a mistake of theirs or of a clock. */
const LONGEST_RETRY_AFTER = 3_600_000;
const MAX_REASON_LENGTH = 200;

/** The error that an answer other than 2xx is. Its body may be JSON, a page or nothing at all. */
export function refusalOf(answer: GameAnswer, request: RefusedRequest): GameError {
  const { status } = answer;
  const kind = request.meanings[status] ?? MEANINGS[status] ?? (status >= 500 ? 'unreachable' : 'unexpected');
  const said = parseJson(answer.bytes);
  const reason = reasonOf(said, request.secret);
  const retryAfter = kind === 'rate_limited' ? parseRetryAfter(answer.retryAfter, request.now) : undefined;
  // The word is in the message or in a code beside it.
  const isSuspended = kind === 'forbidden' && /suspend/i.test(JSON.stringify(said) ?? '');
  const message = `${request.what} answered ${status}${reason === undefined ? '' : `: ${reason}`}.`;
  return new GameError(kind, message, { status, retryAfter, isSuspended });
}

const reasonSchema = z.looseObject({
  errorMessage: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
});

/** What the service says about it; undefined when it says nothing in JSON. */
function reasonOf(said: unknown, secret: string | undefined): string | undefined {
  const parsed = reasonSchema.safeParse(said);
  const text = parsed.data?.errorMessage ?? parsed.data?.error;
  if (text === undefined) return undefined;
  const told = secret ? text.replaceAll(secret, '[token]') : text;
  return (
    told
      .replace(/\p{C}+/gu, ' ')
      .trim()
      .replace(/\.$/, '')
      .slice(0, MAX_REASON_LENGTH) || undefined
  );
}

/** undefined when it is no JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3) as milliseconds from now. */
function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.min(LONGEST_RETRY_AFTER, Math.max(0, wait));
}
