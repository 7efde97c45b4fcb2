import { clearScreenDown } from 'node:readline';
import type { Clock } from '../../base/clock.ts';
import type { SourceProblem } from '../../batch/model.ts';
import type { RequestReport } from '../../client/types.ts';
import type { Note } from '../../protocol/envelope.ts';
import { clean, jsonLine, momentAt, oneLine, span, wrapped } from '../text/text.ts';
import { type Colors, colorsFor, type Io } from './io.ts';

interface MessageFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

interface ShownFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A long operation, shown as a spinner on a terminal and not at all in a pipe. */
export interface Spinner {
  text(text: string): void;
  /** Hides the line while another message is printed. */
  aside(say: () => Promise<void> | void): Promise<void>;
  stop(): void;
}

/** Columns of the spinner and the spaces around the text beside it, and the least that is left for the text. */
const SPINNER = 4;
const NARROWEST = 20;

const NO_PROGRESS: Spinner = {
  text: () => {},
  aside: async (say) => await say(),
  stop: () => {},
};

/** Messages on stderr: notes, warnings, progress. Data never goes through here. */
export class Messages {
  readonly #io: Io;
  readonly #flags: MessageFlags;
  readonly #spin: typeof startSpinner;
  #spinners = 0;

  constructor(io: Io, flags: MessageFlags, spin = startSpinner) {
    this.#io = io;
    this.#flags = flags;
    this.#spin = spin;
  }

  /** A note for people, printed only on a terminal. */
  async note(text: string): Promise<void> {
    if (!this.#flags.quiet && this.#io.err.isTTY)
      this.#io.err.write(`${(await this.#colors()).faint(this.#fitted(text))}\n`);
  }

  /** A result or caution, printed in pipes too unless --quiet is set. */
  say(text: string): void {
    if (!this.#flags.quiet) this.#io.err.write(`${this.#fitted(text)}\n`);
  }

  async warn(text: string): Promise<void> {
    if (!this.#flags.quiet) this.#labelled('warning:', text, (await this.#colors()).warn);
  }

  /** An error: what went wrong, what it affects, what to do next. Printed regardless of flags. */
  async failure({ code, message, hint }: ShownFailure): Promise<void> {
    if (this.#flags.json) {
      this.#io.err.write(jsonLine({ error: { code, message, ...(hint && { hint }) } }));
      return;
    }
    const { bad, faint } = await this.#colors();
    this.#labelled('error:', message, bad);
    if (hint) this.#labelled('hint:', hint, faint);
  }

  /** With --verbose, prints a line for each request and for each unexpected field in its response. */
  request({ method, path, status, error, odd = [], milliseconds }: RequestReport): void {
    const outcome = [status, error].filter((part) => part !== undefined).join(' ');
    this.#io.err.write(`${clean(`${method} ${path} ${outcome}`)} ${Math.round(milliseconds)} ms\n`);
    for (const field of odd) this.#io.err.write(`  ignored: ${clean(field)}\n`);
  }

  /** Columns of a line that is redrawn; a longer text would leave parts of itself behind. */
  get liveWidth(): number {
    return liveWidthOf(this.#io.err);
  }

  /** Whether a line can be redrawn, for a spinner or a bar. */
  get isLive(): boolean {
    const { err } = this.#io;
    const { quiet, json, verbose } = this.#flags;
    return err.isTTY && err.isSized && !quiet && !json && !verbose;
  }

  /** Whether to show progress to a person at a terminal. */
  get isForPerson(): boolean {
    const { quiet, json } = this.#flags;
    return this.#io.err.isTTY && !quiet && !json;
  }

  /** Whether another caller uses the live line. `hasOne`: the caller has a spinner of its own. */
  isOccupied(hasOne: boolean): boolean {
    return this.#spinners > (hasOne ? 1 : 0);
  }

  async progress(text: string): Promise<Spinner> {
    if (!this.isLive) return NO_PROGRESS;
    this.#spinners++;
    const spinner = await this.#spin(oneLine(clean(text), this.liveWidth));
    let isShown = true;
    return {
      ...spinner,
      text: (next) => spinner.text(oneLine(clean(next), this.liveWidth)),
      stop: () => {
        if (isShown) this.#spinners--;
        isShown = false;
        spinner.stop();
      },
    };
  }

  #labelled(label: string, text: string, color: (text: string) => string): void {
    this.#io.err.write(`${color(label)}${this.#fitted(`${label} ${text}`).slice(label.length)}\n`);
  }

  /** The text, safe for a terminal, and broken between words where the width of the terminal is known. */
  #fitted(text: string): string {
    const { isTTY, isSized, columns } = this.#io.err;
    return isTTY && isSized ? wrapped(clean(text), columns) : clean(text);
  }

  async #colors(): Promise<Colors> {
    return await colorsFor(this.#io.err);
  }
}

function liveWidthOf({ columns }: { readonly columns: number }): number {
  return Math.max(NARROWEST, columns - SPINNER);
}

/** The line ends where the window does, even before this process knows its new width (DECAWM). */
const WRAP_OFF = '\x1b[?7l';
const WRAP_ON = '\x1b[?7h';

export async function startSpinner(
  text: string,
  stream: NodeJS.WritableStream = process.stderr,
): Promise<Spinner> {
  const { default: ora, spinners } = await import('ora');
  const { frames, interval } = spinners.dots;
  const spinner = ora({
    text,
    stream,
    spinner: { frames: frames.map((frame) => WRAP_OFF + frame), interval },
    // The cursor waits at the start of the line, where it stays if a narrower window breaks the line.
    suffixText: `${WRAP_ON}\r`,
    // It would keep Ctrl-C from reaching this process as a signal.
    discardStdin: false,
    // It would stay hidden in the shell after Ctrl-Z.
    hideCursor: false,
  }).start();
  const resized = () => {
    spinner.text = oneLine(spinner.text, liveWidthOf(stream as NodeJS.WriteStream));
    clearScreenDown(stream);
  };
  stream.on('resize', resized);
  return {
    text: (next) => {
      spinner.text = next;
    },
    aside: async (say) => {
      spinner.clear();
      await say();
      if (spinner.isSpinning) spinner.render();
    },
    stop: () => {
      stream.off('resize', resized);
      spinner.stop();
    },
  };
}

/** Prints warnings for people; the JSON output includes each as well. */
export async function printWarnings(
  notes: readonly Note[],
  label: string | undefined,
  { messages }: { readonly messages: Messages },
): Promise<void> {
  for (const note of notes)
    await messages.warn(label === undefined ? note.message : `${label}: ${note.message}`);
}

export async function printFailure(
  label: string,
  problem: SourceProblem,
  { messages }: { readonly messages: Messages },
): Promise<void> {
  const { code, message, hint } = problem;
  const isNamed = message.includes(label) || code === 'invalid_row'; // a row's message names its line
  await messages.failure({ code, message: isNamed ? message : `${label}: ${message}`, hint });
}

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
