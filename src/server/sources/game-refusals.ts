import type { Clock } from '../../base/clock.ts';
import { GameError, type GameErrorKind } from '../../game/errors.ts';
import { type LimitedRequest, rateLimitOf } from '../service/limits/rate-limit.ts';
import { Refusal } from '../service/refusal.ts';
import { recallCaller } from '../store/callers.ts';
import type { Db } from '../store/db.ts';

/** Milliseconds to wait if the game does not say how long. */
const UNSAID_WAIT = 10_000;

/** Messages for refusals that are about the caller's input; all others are problems of the game's services. */
type Meanings = Readonly<Partial<Record<GameErrorKind, (error: GameError) => Refusal | Promise<Refusal>>>>;

/**
 * Sends a request to the game's services for a caller. @throws Refusal according to `meanings`, or
 * `service_unavailable`
 */
export async function asksGame<T>(
  context: { readonly db: Db; readonly clock: Clock },
  request: LimitedRequest,
  ask: () => Promise<T>,
  meanings: Meanings = {},
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    throw (await meanings[error.kind]?.(error)) ?? (await unavailable(context, request, error));
  }
}

/** An error of neither the caller nor this service, with the time to wait in the header and in the body. */
async function unavailable(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { caller, via }: LimitedRequest,
  cause: GameError,
): Promise<Refusal> {
  const isLimit = cause.kind === 'rate_limited';
  const message = isLimit
    ? "The game's services accept no more requests for now."
    : "The game's services cannot be reached.";
  const wait = Math.ceil(cause.retryAfter ?? UNSAID_WAIT);
  const now = clock.now();
  const rateLimit = rateLimitOf(await recallCaller(db, caller.owner, now), caller, now, via);
  return new Refusal('service_unavailable', {
    message,
    cause,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(wait / 1000))) },
    ...(isLimit && { rateLimit: { ...rateLimit, next: { absolute: now + wait, relative: wait } } }),
  });
}
