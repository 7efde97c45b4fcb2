import { z } from 'zod';
import { parsedJson } from '../base/parsed-json.ts';
import { parseRetryAfter } from '../base/retry-after.ts';
import type { GameAnswer } from './answer.ts';
import { GameError, type GameErrorKind } from './errors.ts';

/** What is known about a refused request besides its answer. */
export interface RefusedRequest {
  /** Method, host and path. */
  readonly what: string;
  /** Secrets to remove from the service's text, in case it echoes them. */
  readonly secret: string | undefined;
  /** Meanings of statuses for this request that differ from the table. */
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

/** Maximum wait: a longer one is a mistake of the service or of a clock. */
const LONGEST_RETRY_AFTER = 3_600_000;
const MAX_REASON_LENGTH = 200;

/** The error for a non-2xx answer. Its body may be JSON, a page or empty. */
export function refusalOf(answer: GameAnswer, request: RefusedRequest): GameError {
  const { status } = answer;
  const kind = request.meanings[status] ?? MEANINGS[status] ?? (status >= 500 ? 'unreachable' : 'unexpected');
  const said = parsedJson(answer.bytes);
  const reason = reasonOf(said, request.secret);
  const retryAfter = kind === 'rate_limited' ? retryAfterOf(answer, request.now) : undefined;
  // The word is in the message or in a code beside it.
  const isSuspended = kind === 'forbidden' && /suspend/i.test(JSON.stringify(said) ?? '');
  const message = `${request.what} answered ${status}${reason === undefined ? '' : `: ${reason}`}.`;
  return new GameError(kind, message, { status, retryAfter, isSuspended });
}

const reasonSchema = z.looseObject({
  errorMessage: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
});

/** The service's own message; undefined if the body is not JSON or has none. */
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

/** Milliseconds until the service may be asked again, as it says. */
function retryAfterOf({ retryAfter }: GameAnswer, now: number): number | undefined {
  const wait = parseRetryAfter(retryAfter, now);
  return wait === undefined ? undefined : Math.min(LONGEST_RETRY_AFTER, wait);
}
