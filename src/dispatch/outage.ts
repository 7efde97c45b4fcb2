import { AWAKE, backOff, type Clock } from '../base/clock.ts';
import { classifyFailure, NetworkError, ServiceError } from '../client/errors.ts';

/** What to do after temporary failures: how long to wait, when to give up, and which reads to hold back. */

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** Milliseconds of the longest pause, however long the service asks for: a date may be in the year 9999. */
export const LONGEST_WAIT = 2 * 60 * 60_000;

/** Milliseconds that a request takes at most. A longer silence between two failures: the machine was asleep. */
const LONGEST_ATTEMPT = 30_000;
/** The first pause after a refusal without a time, and the longest that a refused read waits, milliseconds. */
const REFUSED_PAUSE = 1_000;
const LONGEST_REFUSED_PAUSE = 60_000;

/** Why a batch waits. */
export type WaitReason = 'limit' | 'trouble';

export interface OutageOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds before giving up: a service that never answered, and one that stopped answering. */
  readonly patience: { readonly firstContact: number; readonly outage: number };
  readonly onPause: (message: string, ms: number, reason: WaitReason) => void;
  /** A request has succeeded after failures. */
  readonly onPassed?: (() => void) | undefined;
  /** Milliseconds: the first pause, doubled each time, and the longest. Default 100 and 10,000. */
  readonly firstPause?: number;
  readonly longestPause?: number;
  /** Whether the service has ever answered a request of any kind; absent: one of its own. */
  readonly contact?: { hasAnswered: boolean };
}

/**
 * Temporary failures of one kind of request: no connection, truncated answers, 5xx, refusals for now. Shared by all
 * requests of that kind, so that a service that fails them gets ever fewer, and is given up only after a long time
 * without a success.
 */
export class Outage {
  readonly #options: OutageOptions;
  readonly #contact: { hasAnswered: boolean };
  #failures = 0;
  #since: number | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.#contact = options.contact ?? { hasAnswered: false };
  }

  /** The service gave a valid answer. */
  passed(): void {
    const { isOn } = this;
    this.#failures = 0;
    this.#since = undefined;
    this.#pausedUntil = Number.NEGATIVE_INFINITY; // a failure right after this is a new one
    this.#contact.hasAnswered = true;
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
    const { clock, patience, onPause } = this.#options;
    const now = clock.monotonic();
    if (error instanceof ServiceError) this.#contact.hasAnswered = true;
    // Requests that fail together count as one failure, and wait for the same moment: each would put it off otherwise.
    const isNew = now >= this.#pausedUntil;
    if (isNew) this.#countFailure(now);
    const wait = Math.max(isNew ? this.#growing(error) : this.#pausedUntil - now, least, askedFor(error));
    this.#pausedUntil = now + wait;
    const longest = this.#contact.hasAnswered ? patience.outage : firstPatience(error, patience.firstContact);
    const since = this.#since ?? now;
    // A service that says when it will be back is not lost, nor is one that only wants fewer requests.
    if (isRefusedForNow(error) || (isResting(error) && askedFor(error) > 0)) this.#since = now + wait;
    else if (now + wait - since > longest) throw new ServiceLostError(error);
    onPause(waitReason(error), wait, isRefusedForNow(error) ? 'limit' : 'trouble');
    return wait;
  }

  /** Time that the machine slept, or in which nothing was requested, says nothing about the service. */
  #countFailure(now: number): void {
    this.#failures++;
    this.#since ??= now;
    const silence = now - this.#pausedUntil;
    if (Number.isFinite(silence) && silence > LONGEST_ATTEMPT)
      this.#since = Math.min(now, this.#since + silence);
  }

  #growing(error: unknown): number {
    const { random, firstPause = FIRST_PAUSE, longestPause = LONGEST_PAUSE } = this.#options;
    const first = isRefusedForNow(error) ? Math.max(firstPause, REFUSED_PAUSE) : firstPause;
    return backOff(this.#failures, { first, longest: longestPause }, random());
  }
}

/** A certificate that was never accepted will not be soon: wait only where first contact has no limit. */
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

/** The first repetition comes at once; a service that keeps failing gets ever fewer requests. */
const LONGEST_LOSS_PAUSE = 30_000;

/** Milliseconds before a submission whose answers were lost `losses` times is sent again. */
export function lossPause(losses: number, random: number): number {
  if (losses <= 1) return 0;
  return backOff(losses, { first: 2 * FIRST_PAUSE, longest: LONGEST_LOSS_PAUSE }, random);
}

/** Milliseconds of pause that a refusing service asked for, within reason. */
function askedFor(error: unknown): number {
  const longest = isRefusedForNow(error) ? LONGEST_REFUSED_PAUSE : LONGEST_WAIT;
  return Math.min(longest, classifyFailure(error)?.retryAfter ?? 0);
}

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return classifyFailure(error)?.isTemporary ?? false;
}

/** Whether the service, or what stands in front of it, answered that it is down: that concerns no single request. */
export function isOutagePage(error: unknown): boolean {
  const { kind } = classifyFailure(error) ?? {};
  return kind === 'server_error' || kind === 'unavailable';
}

/** Codes of 404 that are about something in the request, not about its address. */
const ABOUT_RESOURCE = /^(?:job|skin|set|user|cape|texture|account)_not_found$/;

/** Whether there is nothing at the address of a request, which is a gateway's answer where something has been there. */
export function isRouteMissing(error: unknown): boolean {
  if (error instanceof ServiceError && ABOUT_RESOURCE.test(error.code)) return false;
  return classifyFailure(error)?.status === 404;
}

/** Unusable answers to one read before it is given up, while the service answers others of its kind. */
const MAX_READS = 30;
/** A page instead of the service's own 404 may be all that there is, so it is believed sooner. */
const MAX_PAGES = 4;

/** Whether to repeat a read that has failed so many times while others of its kind were answered. */
export function mayRetryRead(error: unknown, tries: number): boolean {
  const { kind, status } = classifyFailure(error) ?? {};
  const isPage = kind === 'unreadable' && status === 404;
  return isPage ? tries < MAX_PAGES : isTransient(error) && tries < MAX_READS;
}

/** The same for the list, which always exists: a 404 for it is a gateway's, with JSON or not. */
export function mayRetryList(error: unknown, tries: number): boolean {
  return classifyFailure(error)?.kind === 'not_found' ? tries < MAX_PAGES : mayRetryRead(error, tries);
}

/** Whether the caller has the maximum number of jobs in the queue. */
export function isFullQueue(error: unknown): boolean {
  return classifyFailure(error)?.kind === 'full_queue';
}

/** Whether the service works but wants fewer requests. */
export function isRefusedForNow(error: unknown): boolean {
  return classifyFailure(error)?.status === 429;
}

/** Reads of one kind that may be under way at once. */
const MAX_UNDER_WAY = 8;
/** Milliseconds without an answer that are reported, again and again. */
const QUIET_WAIT = 3_000;

interface ReadGateOptions {
  readonly clock: Clock;
  readonly outage: Outage;
  /** Whether an error is trouble with all reads of this kind; absent: whether the same request may succeed later. */
  readonly isTransient?: (error: unknown) => boolean;
  /** A request has had no answer for this many more milliseconds. */
  readonly onSilence: (ms: number) => void;
}

/**
 * Lets reads of one kind through: a few at a time, and while they fail only one, ever more rarely. The others wait for
 * its answer.
 */
export class ReadGate {
  readonly outage: Outage;
  /** Reads that were answered so far. */
  answered = 0;
  readonly #options: ReadGateOptions;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #wakeUp: AbortController | undefined;

  constructor(options: ReadGateOptions) {
    this.#options = options;
    this.outage = options.outage;
  }

  /** Whether a read would have to wait for others that fail. */
  get isShut(): boolean {
    return this.outage.isOn && (this.#waiting.length > 0 || !this.#hasRoom);
  }

  /** Sends a read when it is its turn. @throws what it throws; ServiceLostError; the signal's reason */
  async send<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      const answer = await reportSilence(read, this.#options);
      this.#passed();
      return answer;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      throw error;
    } finally {
      this.#underWay--;
      this.#admit();
    }
  }

  #passed(): void {
    this.answered++;
    this.outage.passed();
  }

  /** A definite refusal is an answer. @throws ServiceLostError */
  #failed(error: unknown): void {
    if ((this.#options.isTransient ?? isTransient)(error)) this.outage.failed(error);
    else this.#passed();
  }

  get #hasRoom(): boolean {
    const { isOn, openAt } = this.outage;
    if (!isOn) return this.#underWay < MAX_UNDER_WAY;
    return this.#underWay === 0 && openAt <= this.#options.clock.monotonic();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    const leave = () => {
      const place = this.#waiting.indexOf(turn.resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
      if (this.#waiting.length === 0) this.#wakeUp?.abort(AWAKE);
      turn.reject(signal.reason);
    };
    this.#waiting.push(turn.resolve);
    signal.addEventListener('abort', leave, { once: true });
    this.#admit();
    await turn.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Lets through as many as may be under way. */
  #admit(): void {
    while (this.#waiting.length > 0 && this.#hasRoom) {
      this.#underWay++;
      this.#waiting.shift()?.();
    }
    if (this.#waiting.length > 0 && this.#underWay === 0) this.#admitLater();
  }

  #admitLater(): void {
    const { clock } = this.#options;
    this.#wakeUp?.abort(AWAKE);
    const wakeUp = new AbortController();
    this.#wakeUp = wakeUp;
    const wait = this.outage.openAt - clock.monotonic();
    clock.sleep(wait, wakeUp.signal).then(
      () => this.#admit(),
      () => {}, // another wait has taken its place
    );
  }
}

/** Sends a request, and reports every few seconds that it is not answered yet. */
export async function reportSilence<T>(
  request: () => Promise<T>,
  { clock, onSilence }: Pick<ReadGateOptions, 'clock' | 'onSilence'>,
): Promise<T> {
  const answered = new AbortController();
  const report = async () => {
    for (;;) {
      await clock.sleep(QUIET_WAIT, answered.signal);
      onSilence(QUIET_WAIT);
    }
  };
  report().catch(() => {}); // it was answered
  try {
    return await request();
  } finally {
    answered.abort(AWAKE);
  }
}

/** Milliseconds between attempts to read what a service, or the host of its textures, should have by now. */
export const LAG_PAUSES: readonly number[] = [200, 400, 800, 1_600, 3_200, 6_400, 12_800];
/** Pauses of at least this many milliseconds are reported. */
export const LONG_PAUSE = 1_000;
