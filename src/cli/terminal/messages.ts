import type { SourceProblem } from '../../batch/model.ts';
import type { Note, RequestReport } from '../../index.ts';
import { clean, jsonLine, oneLine, wrapped } from '../text/text.ts';
import { type Colors, colorsFor, type Io } from './io.ts';

export interface MessageFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

export interface ShownFailure {
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
const SPINNER = 3;
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
    return Math.max(NARROWEST, this.#io.err.columns - SPINNER);
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

export async function startSpinner(
  text: string,
  stream: NodeJS.WritableStream = process.stderr,
): Promise<Spinner> {
  const { default: ora } = await import('ora');
  // discardStdin would keep Ctrl-C from reaching this process as a signal, and a hidden cursor would stay hidden in the
  // shell after Ctrl-Z.
  const spinner = ora({ text, stream, discardStdin: false, hideCursor: false }).start();
  return {
    text: (next) => {
      spinner.text = next;
    },
    aside: async (say) => {
      spinner.clear();
      await say();
      if (spinner.isSpinning) spinner.render();
    },
    stop: () => void spinner.stop(),
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

/** Reports the failure of one source among several. */
export async function printFailure(
  label: string,
  problem: SourceProblem,
  { messages }: { readonly messages: Messages },
): Promise<void> {
  const { code, message, hint } = problem;
  const isNamed = message.includes(label) || code === 'invalid_row'; // a row's message names its line
  await messages.failure({ code, message: isNamed ? message : `${label}: ${message}`, hint });
}
