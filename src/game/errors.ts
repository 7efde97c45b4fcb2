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
  /** The token's account has no profile: it does not own the game, or never chose a name. */
  | 'no_profile'
  /** No connection, a timeout, or a server error. */
  | 'unreachable'
  /** An unexpected answer. */
  | 'unexpected';

export interface GameErrorFacts {
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
