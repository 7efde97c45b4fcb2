import type { Clock } from '../base/clock.ts';
import { NetworkError, ServiceError, SkinsmithError } from '../client/errors.ts';
import { classifyFailure, type FailureKind } from '../client/failure.ts';
import { ProofError } from './proof.ts';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** Milliseconds of the longest pause, however long the service asks for: a date may be in the year 9999. */
export const LONGEST_WAIT = 2 * 60 * 60_000;

export interface TroubleOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds before giving up: a service that never answered, and one that stopped answering. */
  readonly patience: { readonly firstContact: number; readonly outage: number };
  readonly onPause: (message: string, ms: number) => void;
  /** There was trouble, and a request has succeeded. */
  readonly onPassed?: (() => void) | undefined;
  /** Milliseconds: the first pause, doubled each time, and the longest. Default 100 and 10,000. */
  readonly firstPause?: number;
  readonly longestPause?: number;
}

/**
 * Temporary failures: no connection, truncated answers, 5xx. Shared by all requests of a batch, so that a
 * service that is down is asked ever more rarely and given up only after a long time without success.
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

  /** The service gave a valid answer. */
  passed(): void {
    const { isOn } = this;
    this.#failures = 0;
    this.#since = undefined;
    this.#pausedUntil = Number.NEGATIVE_INFINITY; // a failure right after this is a new one
    this.#hasAnswered = true;
    if (isOn) this.#options.onPassed?.();
  }

  /** When the first of the failures since the last success was; undefined: there are none. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Whether the last request failed. */
  get isOn(): boolean {
    return this.#failures > 0;
  }

  /** When the next attempt is due; in the past: now. */
  get openAt(): number {
    return this.isOn ? this.#pausedUntil : Number.NEGATIVE_INFINITY;
  }

  /** Waits before the next attempt. @throws ServiceLostError when the service has to be given up */
  async pause(error: unknown, signal: AbortSignal): Promise<void> {
    const wait = this.failed(error);
    await this.#options.clock.sleep(wait, signal);
  }

  /** A request failed. `least`: the shortest pause. @returns milliseconds until the next attempt. @throws ServiceLostError */
  failed(error: unknown, least = 0): number {
    const { clock, random, patience, onPause } = this.#options;
    const { firstPause = FIRST_PAUSE, longestPause = LONGEST_PAUSE } = this.#options;
    const now = clock.monotonic();
    this.#since ??= now;
    if (error instanceof ServiceError) this.#hasAnswered = true;
    // Requests that fail together count as one failure, and wait for the same moment: each would put it off otherwise.
    const isNew = now >= this.#pausedUntil;
    if (isNew) this.#failures++;
    const growing = Math.min(longestPause, firstPause * 2 ** (this.#failures - 1)) * (0.5 + random() / 2);
    const backOff = isNew ? growing : this.#pausedUntil - now;
    const wait = Math.max(backOff, least, askedFor(error));
    this.#pausedUntil = now + wait;
    const longest = this.#hasAnswered ? patience.outage : firstPatience(error, patience.firstContact);
    const isAppointed = isResting(error) && askedFor(error) > 0;
    if (isAppointed)
      this.#since = now + wait; // a service that says when it goes on is not lost
    else if (now + wait - this.#since > longest) throw new ServiceLostError(error);
    onPause(waitReason(error), wait);
    return wait;
  }
}

/** A certificate that was never accepted will not be soon: only a service that waits for ever for its first contact waits for that. */
function firstPatience(error: unknown, patience: number): number {
  const isLasting = error instanceof NetworkError && !error.isPassing;
  return isLasting && Number.isFinite(patience) ? 0 : patience;
}

/** Whether the service has no game account free to generate with, which passes as their limits end. */
function isResting(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'no_account_available';
}

/** Why a batch waits after this error, in words for people. */
export function waitReason(error: unknown): string {
  return isResting(error) ? "The service's game accounts are resting." : (error as Error).message;
}

/** The service has not answered within the time allowed; `cause` is the last failure. */
export class ServiceLostError extends Error {
  override readonly name = 'ServiceLostError';

  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}

/** The first repetition comes at once; a service that keeps failing is asked ever more rarely. */
const LONGEST_LOSS_PAUSE = 30_000;

/** Milliseconds before a submission whose answers were lost `losses` times is sent again. */
export function lossPause(losses: number, random: number): number {
  if (losses <= 1) return 0;
  return Math.min(LONGEST_LOSS_PAUSE, FIRST_PAUSE * 2 ** losses) * (0.5 + random / 2);
}

/** Whether every other source would fail the same way: no service, or no permission to use it. */
export function endsBatch(error: unknown): boolean {
  if (error instanceof ServiceLostError || !(error instanceof SkinsmithError || error instanceof ProofError))
    return true;
  return classifyFailure(error)?.kind === 'key_refused';
}

/** Milliseconds to wait after a refusal without a time, and the maximum pause. */
const REFUSED_PAUSE = 1_000;
const LONGEST_REFUSED_PAUSE = 60_000;

/** Pause after a refused read: as the service says, otherwise a second. */
export function refusedPause(error: unknown): number {
  const given = classifyFailure(error)?.retryAfter;
  return Math.min(LONGEST_REFUSED_PAUSE, given && given > 0 ? given : REFUSED_PAUSE);
}

/** Milliseconds of pause that a refusing service asked for, within reason. */
function askedFor(error: unknown): number {
  return Math.min(LONGEST_WAIT, classifyFailure(error)?.retryAfter ?? 0);
}

/** Whether the same request may succeed later. */
export function isTrouble(error: unknown): boolean {
  return classifyFailure(error)?.isTemporary ?? false;
}

const OUTAGES: ReadonlySet<FailureKind> = new Set(['unreachable', 'server_error', 'unavailable']);

/** Whether the whole service may be down. */
export function isOutage(error: unknown): boolean {
  const failure = classifyFailure(error);
  return failure !== undefined && OUTAGES.has(failure.kind);
}

/** Unusable answers to one read before it is given up, while the service answers others. */
export const MOST_READS = 30;
/** A page instead of the service's own 404 may be all that there is, so it is believed sooner. */
const MOST_PAGES = 4;

/** Whether to repeat a read that has failed `tries` times in a row. */
export function mayReadAgain(error: unknown, tries: number): boolean {
  const { kind, status } = classifyFailure(error) ?? {};
  const isPage = kind === 'unreadable' && status === 404;
  return isPage ? tries < MOST_PAGES : isTrouble(error) && tries < MOST_READS;
}

/** The same for the list, which always exists: a 404 for it is a gateway's, with JSON or not. */
export function mayListAgain(error: unknown, tries: number): boolean {
  return classifyFailure(error)?.kind === 'not_found' ? tries < MOST_PAGES : mayReadAgain(error, tries);
}

/** Whether the caller has the maximum number of jobs in the queue. */
export function isFullQueue(error: unknown): boolean {
  return classifyFailure(error)?.kind === 'full_queue';
}

/** Whether the service works but wants fewer requests. */
export function isRefusedForNow(error: unknown): boolean {
  return classifyFailure(error)?.status === 429;
}
