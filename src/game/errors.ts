import { z } from 'zod';
import { parseRetryAfter } from '../base/bounded-fetch.ts';
import { parsedJson } from '../base/text.ts';

/** The kinds of failures of the game's services. */
export type GameErrorKind =
  /** Too many requests: their refusal (`status` 429), or our own pacing would wait too long (no `status`). */
  | 'rate_limited'
  /** The token is invalid or has expired. */
  | 'unauthorized'
  /** Refused permanently; see `isSuspended`. */
  | 'forbidden'
  /** The picture is invalid, not the account. */
  | 'bad_image'
  | 'not_found'
  /** The player exists, but the service has never seen the skin. */
  | 'no_skin'
  /** The token's account has no profile: it does not own the game, or never chose a name. */
  | 'no_profile'
  /** No connection, a timeout, or a server error. */
  | 'unreachable'
  /** An unexpected answer. */
  | 'unexpected';

interface GameErrorFacts {
  /** HTTP status; undefined when there was no answer. */
  readonly status?: number | undefined;
  /** Milliseconds to wait, if the answer said so. */
  readonly retryAfter?: number | undefined;
  /** The game says that the account is suspended: it must not be used again before its owner has resolved that. */
  readonly isSuspended?: boolean;
  readonly cause?: unknown;
}

/** `message` is a sentence for the operator: it names host, path and status, never a token. */
export class GameError extends Error {
  override readonly name = 'GameError';
  readonly kind: GameErrorKind;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly isSuspended: boolean;

  constructor(kind: GameErrorKind, message: string, facts: GameErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.isSuspended = facts.isSuspended ?? false;
  }
}

/** An answer of one of the game's services. */
export interface GameAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  /** The header of that name, or the age after which a refusal may be asked for again. */
  readonly retryAfter: string | undefined;
}

/** What is known about a refused request besides its answer. */
interface RefusedRequest {
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
