import { NetworkError, ServiceError, SkinsmithError, UnreadableAnswerError } from '../../client/errors.ts';
import type { Clock } from '../../clock.ts';
import { ProofError } from '../proof/proof.ts';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;

export interface TroubleOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that a service which has never answered is tried, and one that has stopped answering. */
  readonly patience: { readonly firstContact: number; readonly outage: number };
  readonly onPause: (message: string, ms: number) => void;
}

/**
 * Trouble that can pass: no connection, cut answers, 5xx. All requests of a batch share it, so that a
 * service that is down is asked ever more rarely, and is given up only after none has succeeded for long.
 */
export class Trouble {
  readonly #options: TroubleOptions;
  #failures = 0;
  #since: number | undefined;
  #hasAnswered = false;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: TroubleOptions) {
    this.#options = options;
  }

  /** The service answered sensibly. */
  passed(): void {
    this.#failures = 0;
    this.#since = undefined;
    this.#hasAnswered = true;
  }

  /** Waits before the next try. @throws ServiceLostError when the service has to be given up */
  async pause(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, patience, onPause } = this.#options;
    const now = clock.monotonic();
    this.#since ??= now;
    if (error instanceof ServiceError) this.#hasAnswered = true;
    if (now >= this.#pausedUntil) this.#failures++; // requests that fail together are one failure
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#failures - 1)) * (0.5 + random() / 2);
    const wait = Math.max(backOff, askedFor(error));
    this.#pausedUntil = now + wait;
    const longest = this.#hasAnswered ? patience.outage : patience.firstContact;
    if (now + wait - this.#since > longest) throw new ServiceLostError(error);
    onPause((error as Error).message, wait);
    await clock.sleep(wait, signal);
  }
}

/** The service has not answered for as long as it was to be waited for; `cause` is the last failure. */
export class ServiceLostError extends Error {
  override readonly name = 'ServiceLostError';

  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}

/** The first repetition of a submission comes at once; a service that goes on failing is asked ever more rarely. */
const LONGEST_LOSS_PAUSE = 30_000;

/** Milliseconds before a submission whose answers were lost `losses` times is sent again. */
export function lossPause(losses: number, random: number): number {
  if (losses <= 1) return 0;
  return Math.min(LONGEST_LOSS_PAUSE, FIRST_PAUSE * 2 ** losses) * (0.5 + random / 2);
}

/** Whether every other source would meet the same: no service, or no right to use it. */
export function endsBatch(error: unknown): boolean {
  if (error instanceof ServiceLostError || !(error instanceof SkinsmithError || error instanceof ProofError))
    return true;
  if (!(error instanceof ServiceError || error instanceof UnreadableAnswerError)) return false;
  return (error.status === 401 || error.status === 403) && error.code !== 'insufficient_grants';
}

/** Milliseconds after a refused request that does not say how many, and the most that one is put off. */
const REFUSED_PAUSE = 1_000;
const LONGEST_REFUSED_PAUSE = 60_000;

/** How long a refused read waits: as the service says, else a second. */
export function refusedPause(error: ServiceError | UnreadableAnswerError): number {
  const given = error instanceof ServiceError ? error.answer.retryAfter : error.retryAfter;
  return Math.min(LONGEST_REFUSED_PAUSE, given && given > 0 ? given : REFUSED_PAUSE);
}

/** Milliseconds that a refusing service asked to be left alone. */
function askedFor(error: unknown): number {
  if (error instanceof ServiceError) return error.answer.retryAfter ?? 0;
  return error instanceof UnreadableAnswerError ? (error.retryAfter ?? 0) : 0;
}

/** Whether the same request may succeed later. A proxy's page or a cut body may stand for any answer. */
export function isTrouble(error: unknown): boolean {
  if (error instanceof UnreadableAnswerError) return error.status < 300 || error.isPassing;
  return error instanceof SkinsmithError && error.isPassing;
}

/** Whether a submission that failed like this certainly left nothing on the service. */
export function wasNotTaken(error: unknown): boolean {
  if (error instanceof NetworkError) return !error.mayHaveArrived;
  return error instanceof ServiceError && error.status < 500;
}

/** Whether the service is well but wants fewer requests. */
export function isRefusedForNow(error: unknown): error is ServiceError | UnreadableAnswerError {
  return (error instanceof ServiceError || error instanceof UnreadableAnswerError) && error.status === 429;
}
