import type { Clock } from '../../../clock.ts';
import type { RateLimit } from '../../../protocol/envelope.ts';
import { GenerationPostponed } from '../port.ts';

export interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Tells workers that they may go on. */
  readonly wake: () => void;
  readonly warn: (message: string) => void;
  /** The service, for messages. */
  readonly name: string;
}

/** Milliseconds of trouble without a break before the service counts as down. */
const PATIENCE = 5_000;
/** Milliseconds to the first try after trouble, doubled for each further one. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
const KEY_PAUSE = 60_000;
/** The same when requests come too fast and it is not said when to come back, and when no spot is free. */
const FIRST_REFUSED = 500;
const FIRST_FULL = 300;
const LONGEST_FULL = 10_000;
/** However long the service asks for, it is asked again after this: its limits may have been raised. */
const LONGEST_WAIT = 15 * 60_000;
/** Limits are ordinary: they are spoken of so rarely, milliseconds. */
const SAID_AGAIN = 10 * 60_000;

/**
 * When the service above may be asked for something new. All workers share it, so that they pause together:
 * none finds out for itself what another has been told.
 */
export class Gate {
  readonly #options: GateOptions;
  /** Times of the monotonic clock. */
  #openAt = 0;
  #nextTry = 0;
  #troubleSince: number | undefined;
  #failures = 0;
  #refusals = 0;
  #saidLimitsAt = Number.NEGATIVE_INFINITY;
  #isDown = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Whether the service cannot be used, and not only for a moment. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** Milliseconds until something new may be asked for; 0: now. */
  wait(): number {
    const wait = Math.max(0, this.#openAt - this.#now(), this.tryAgainIn());
    return this.#isDown ? Math.max(1, wait) : wait;
  }

  /** Milliseconds until a request may find out whether trouble has passed; 0: there is none. */
  tryAgainIn(): number {
    return this.#troubleSince === undefined ? 0 : Math.max(0, this.#nextTry - this.#now());
  }

  /** What a worker throws whose job has to wait. */
  postponed(cause?: unknown): GenerationPostponed {
    return new GenerationPostponed(this.#options.clock.now() + Math.max(FIRST_PAUSE, this.wait()), { cause });
  }

  /** Something was accepted; the service may say when it takes the next. */
  accepted(rateLimit: RateLimit | undefined): void {
    this.#refusals = 0;
    this.passed();
    const wait = rateLimit?.next.relative ?? 0;
    if (wait > 0) this.#block(wait);
  }

  tooFast(wait: number | undefined): void {
    this.#refused();
    const backOff = Math.min(LONGEST_PAUSE, FIRST_REFUSED * 2 ** (this.#refusals - 1)) * this.#jitter();
    this.#block(wait ?? backOff);
    this.#sayLimits(`${this.#options.name} wants fewer requests: jobs wait as long as it asks for.`);
  }

  /** Others of the same key have the spots. */
  full(): void {
    this.#refused();
    this.#block(Math.min(LONGEST_FULL, FIRST_FULL * 1.5 ** (this.#refusals - 1)) * this.#jitter());
    this.#sayLimits(`${this.#options.name} has no spot free for this key: jobs wait for one.`);
  }

  /** An answer came that was one. */
  passed(): void {
    this.#troubleSince = undefined;
    this.#failures = 0;
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#options.warn(`${this.#options.name} answers again: jobs go on.`);
    this.#options.wake();
  }

  /** `wait`: milliseconds that the service asked for. */
  trouble(error: unknown, wait = 0): void {
    const now = this.#now();
    this.#troubleSince ??= now;
    if (now >= this.#nextTry) this.#failures++; // requests that fail together are one failure
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#failures - 1)) * this.#jitter();
    this.#nextTry = now + Math.min(LONGEST_WAIT, Math.max(backOff, wait));
    if (now - this.#troubleSince >= PATIENCE) this.down(error);
  }

  keyRefused(error: unknown): void {
    this.trouble(error, KEY_PAUSE);
    this.down(error);
  }

  /** The service cannot be used. It is said once, until it answers again. */
  down(error: unknown): void {
    if (this.#troubleSince === undefined) this.trouble(error);
    if (this.#isDown) return;
    this.#isDown = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.warn(`${this.#options.name} cannot be used now, jobs wait until it can: ${reason}`);
  }

  #refused(): void {
    if (this.#now() >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst is one refusal
  }

  #block(wait: number): void {
    this.#openAt = Math.max(this.#openAt, this.#now() + Math.min(LONGEST_WAIT, wait));
  }

  #sayLimits(message: string): void {
    const now = this.#now();
    if (now - this.#saidLimitsAt < SAID_AGAIN) return;
    this.#saidLimitsAt = now;
    this.#options.warn(message);
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  /** Half to all of it, so that gateways that failed together do not come back together. */
  #jitter(): number {
    return 0.5 + this.#options.random() / 2;
  }
}
