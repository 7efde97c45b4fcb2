import type { Clock } from '../../../base/clock.ts';
import type { LimitWindow } from '../../../client/rate-limits.ts';
import { type Sent, SubmissionBudget } from '../../../client/submission-budget.ts';
import { GenerationPostponed } from '../port.ts';

export interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Tells workers to continue. */
  readonly wake: () => void;
  readonly warn: (message: string) => void;
  /** Name of the service, for messages. */
  readonly name: string;
}

/** Milliseconds of continuous trouble after which the service counts as down. */
const PATIENCE = 5_000;
/** Milliseconds until the first retry after trouble, doubled for each further one. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
const KEY_PAUSE = 60_000;
/** The same for requests that are too fast, if the service names no wait, and for a full queue. */
const FIRST_REFUSED = 500;
const FIRST_FULL = 300;
const LONGEST_FULL = 10_000;
/** Milliseconds to the first try after the service said that it accepts nothing, doubled for each further one. */
const FIRST_CLOSED = 1_000;
/** Maximum wait, even if the service asks for a longer one: its limits may have been raised. */
const LONGEST_WAIT = 15 * 60_000;
/** Limits are ordinary: minimum milliseconds between messages about them. */
const SAID_AGAIN = 10 * 60_000;

/**
 * When new requests to the upstream service are allowed. All workers share one gate, so that they pause together and
 * none runs into a limit that another has already met.
 */
export class Gate {
  readonly #options: GateOptions;
  /** Times of the monotonic clock. */
  readonly #budget = new SubmissionBudget();
  #openAt = 0;
  #nextTry = 0;
  #troubleSince: number | undefined;
  #failures = 0;
  #refusals = 0;
  /** Submissions that are being sent. */
  #underway = 0;
  /** How often in a row the service said that it accepts nothing. */
  #closures = 0;
  #saidLimitsAt = Number.NEGATIVE_INFINITY;
  #isDown = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Whether the service is unusable for more than a moment. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** Milliseconds until the next new request is allowed; 0: now. */
  wait(): number {
    const now = this.#now();
    const openAt = Math.max(this.#openAt, this.#budget.openAt(now) ?? 0);
    const wait = Math.max(0, openAt - now, this.tryAgainIn());
    return this.#isDown ? Math.max(1, wait) : wait;
  }

  /** Milliseconds until a request may check whether trouble has passed; 0: there is none. */
  tryAgainIn(): number {
    return this.#troubleSince === undefined ? 0 : Math.max(0, this.#nextTry - this.#now());
  }

  /** The error that a worker throws if its job has to wait. */
  postponed(cause?: unknown): GenerationPostponed {
    return new GenerationPostponed(this.#options.clock.now() + Math.max(FIRST_PAUSE, this.wait()), { cause });
  }

  /**
   * Counts a submission that is about to be sent; undefined: it has to wait, since the service's limits leave
   * none, or since another is finding out whether the service accepts any again.
   */
  enter(): Sent | undefined {
    const now = this.#now();
    const isTried = this.#closures > 0 && this.#underway > 0;
    if (isTried || this.#openAt > now || this.#budget.left(now) <= 0) return undefined;
    this.#underway++;
    return this.#budget.sent(now);
  }

  /** A submission that had been counted was not sent after all. */
  withdraw(sent: Sent): void {
    this.#underway--;
    this.#budget.withdrawn(sent);
  }

  /** A request ended. `windows`: those that its answer named, whatever else it said. */
  answered(sent: Sent, windows: readonly LimitWindow[] = []): void {
    const now = this.#now();
    this.#underway--;
    this.#budget.told(windows, { sent, now });
    this.#budget.answered(sent, now);
    if (this.#budget.openAt(now) !== undefined) this.#sayWait();
  }

  /**
   * A submission was accepted. Ignores `next` in the answer, which is about other requests: the queue has no fixed
   * delay.
   */
  accepted(): void {
    this.#refusals = 0;
    this.#opened();
    this.passed();
  }

  tooFast(wait: number | undefined): void {
    this.#opened();
    this.#refused();
    const backOff = Math.min(LONGEST_PAUSE, FIRST_REFUSED * 2 ** (this.#refusals - 1)) * this.#jitter();
    this.#block(wait ?? backOff);
    this.#sayWait();
  }

  /** All spots are taken by others with the same key. */
  full(): void {
    this.#opened();
    this.#refused();
    this.#block(Math.min(LONGEST_FULL, FIRST_FULL * 1.5 ** (this.#refusals - 1)) * this.#jitter());
    this.#sayLimits(`${this.#options.name} has no spot free for this key: jobs wait for one.`);
  }

  /**
   * The service says that it accepts no submissions now. It may answer everything else, so only an accepted
   * or limited submission ends this. `wait`: milliseconds that it asked for.
   */
  closed(error: unknown, wait = 0): void {
    if (this.#closures === 0) {
      const { name, warn } = this.#options;
      warn(`${name} accepts no submissions now, jobs wait until it does: ${reasonOf(error)}`);
    }
    if (this.#now() >= this.#openAt || this.#closures === 0) this.#closures++; // a burst is one
    const backOff = Math.min(LONGEST_PAUSE, FIRST_CLOSED * 2 ** (this.#closures - 1)) * this.#jitter();
    this.#block(Math.max(backOff, wait));
  }

  /** A request was answered by the service. */
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
    if (now >= this.#nextTry) this.#failures++; // simultaneous failures count once
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#failures - 1)) * this.#jitter();
    this.#nextTry = now + Math.min(LONGEST_WAIT, Math.max(backOff, wait));
    if (now - this.#troubleSince >= PATIENCE) this.down(error);
  }

  keyRefused(error: unknown): void {
    this.trouble(error, KEY_PAUSE);
    this.down(error);
  }

  /** The service is unusable. Reports this once, until it answers again. */
  down(error: unknown): void {
    if (this.#troubleSince === undefined) this.trouble(error);
    if (this.#isDown) return;
    this.#isDown = true;
    this.#options.warn(
      `${this.#options.name} cannot be used now, jobs wait until it can: ${reasonOf(error)}`,
    );
  }

  #opened(): void {
    if (this.#closures === 0) return;
    this.#closures = 0;
    this.#options.warn(`${this.#options.name} accepts submissions again: jobs go on.`);
    this.#options.wake();
  }

  #sayWait(): void {
    this.#sayLimits(`${this.#options.name} limits requests; jobs wait for as long as it asks.`);
  }

  #refused(): void {
    if (this.#now() >= this.#openAt || this.#refusals === 0) this.#refusals++; // a burst counts as one refusal
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

  /** Between half and all of the pause, so that gateways that failed together do not retry together. */
  #jitter(): number {
    return 0.5 + this.#options.random() / 2;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
