import type { Clock } from '../../base/clock.ts';
import { momentAt, oneLine, span } from '../text/text.ts';
import type { Messages, Spinner } from './messages.ts';

/** Milliseconds between updates, and how long a request may take before the wait is shown. */
const LOOK = 1_000;
const QUIET_WAIT = 3_000;
/** Milliseconds between lines where a line cannot be redrawn. */
const BETWEEN_LINES = 7_000;

interface Pause {
  readonly message: string;
  /** The monotonic clock and the wall clock, in milliseconds. */
  readonly until: number;
  readonly at: number;
}

/** Shows on a terminal what a command waits for, how long and until when, so that it does not seem to hang. */
export class Waits {
  readonly #messages: Messages;
  readonly #clock: Clock;
  #under = 0;
  #since = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #longest = 0;
  #place = '';
  #pause: Pause | undefined;
  #timer: NodeJS.Timeout | undefined;
  #spinner: Promise<Spinner> | undefined;
  #saidAt = 0;

  constructor(messages: Messages, clock: Clock) {
    this.#messages = messages;
    this.#clock = clock;
  }

  /** Called when a request is sent; `timeout` is its limit in milliseconds. */
  sent(place: string, timeout: number): void {
    if (!this.#messages.isForPerson) return;
    const now = this.#clock.monotonic();
    this.#pause = undefined;
    // Many short requests in a row count as one wait.
    if (this.#under++ === 0 && now - this.#answeredAt > LOOK) this.#since = this.#saidAt = now;
    this.#place = place;
    this.#longest = timeout;
    this.#timer ??= setInterval(() => this.look(), LOOK).unref();
  }

  /** Called when a request has succeeded or failed. */
  answered(): void {
    if (this.#under > 0) this.#under--;
    if (this.#under > 0) return;
    this.#answeredAt = this.#clock.monotonic();
    this.#clear();
  }

  /** Called when requests pause: for how many milliseconds, and why. */
  paused({ message, pause }: { message: string; pause: number }): void {
    if (!this.#messages.isForPerson) return;
    this.#pause = { message, until: this.#clock.monotonic() + pause, at: this.#clock.now() + pause };
    this.#timer ??= setInterval(() => this.look(), LOOK).unref();
    this.#show(this.#text());
  }

  /** Prints the state when an update is due; called every second. */
  look(): void {
    const text = this.#text();
    if (text === undefined) this.#rest();
    else if (this.#pause || this.#clock.monotonic() - this.#since >= QUIET_WAIT) this.#refresh(text);
  }

  #text(): string | undefined {
    const now = this.#clock.monotonic();
    if (this.#pause && this.#pause.until > now) {
      const width = this.#messages.isLive ? this.#messages.liveWidth : undefined;
      return pauseText({ ...this.#pause, ms: this.#pause.until - now }, this.#clock.now(), width);
    }
    if (this.#under === 0) return undefined;
    const [gone, longest] = [now - this.#since, this.#longest].map((ms) => span(ms / 1_000));
    return `Waiting for an answer from ${this.#place}: ${gone} so far, ${longest} at most.`;
  }

  /** Updates a live line every time, and prints other lines only now and then. */
  #refresh(text: string): void {
    if (this.#messages.isLive || this.#clock.monotonic() - this.#saidAt >= BETWEEN_LINES) this.#show(text);
  }

  #show(text: string | undefined): void {
    if (text === undefined || this.#messages.isOccupied(this.#spinner !== undefined)) return;
    this.#saidAt = this.#clock.monotonic();
    if (!this.#messages.isLive) {
      void this.#messages.note(text);
      return;
    }
    this.#spinner ??= this.#messages.progress(text);
    const spinner = this.#spinner;
    void spinner.then((line) => (this.#spinner === spinner ? line.text(text) : undefined));
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  #clear(): void {
    void this.#spinner?.then((line) => line.stop());
    this.#spinner = undefined;
  }
}

/** The reason for a wait and its length. */
export interface PauseView {
  readonly message: string;
  /** Remaining milliseconds. */
  readonly ms: number;
  /** End of the wait, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Describes a wait: its reason, its length and its end. `now`: milliseconds since the epoch. `width`: the columns that
 * there are; the reason is cut to leave room for the rest.
 */
export function pauseText({ message, ms, at }: PauseView, now: number, width?: number): string {
  const reason = /[.!?]$/.test(message) ? message : `${message}.`; // a service's own words may lack the end
  const rest = ` Retrying in ${span(ms / 1_000)}, at ${momentAt(at, now)}; Ctrl-C is safe.`;
  return (width === undefined ? reason : oneLine(reason, Math.max(1, width - rest.length))) + rest;
}
