/** What kept the game's services from doing what they were asked for. */
export type GameErrorKind =
  /** Too many requests: theirs (`status` 429), or our own pacing would wait too long (no `status`). */
  | 'rate_limited'
  /** The token is not, or no longer, accepted. */
  | 'unauthorized'
  /** Refused for good; see `isSuspended`. */
  | 'forbidden'
  /** The picture, not the account, is at fault. */
  | 'bad_image'
  | 'not_found'
  /** No connection, no answer in time, or a server error. */
  | 'unreachable'
  /** An answer that makes no sense. */
  | 'unexpected';

export interface GameErrorFacts {
  /** HTTP status; undefined when there was no answer. */
  readonly status?: number | undefined;
  /** Milliseconds after which to come back, where it was said. */
  readonly retryAfter?: number | undefined;
  /** The game says that the account is suspended: it must not be used again before its owner looked after it. */
  readonly isSuspended?: boolean;
  readonly cause?: unknown;
}

/** `message` is a sentence for the operator: it names host, path and status, and never a token. */
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
