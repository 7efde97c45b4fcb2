import type { RequestReport } from '../index.ts';
import type { Io } from './io.ts';
import { jsonLine } from './output/json.ts';
import { type Colors, clean, colorsFor } from './output/text.ts';

export interface TalkFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Something long under way, shown as a spinner on a terminal and not at all in a pipe. */
export interface Progress {
  text(text: string): void;
  /** Takes the line away while something else is said. */
  aside(say: () => Promise<void> | void): Promise<void>;
  stop(): void;
}

const NO_PROGRESS: Progress = {
  text: () => {},
  aside: async (say) => await say(),
  stop: () => {},
};

/** What is said on stderr: notes, warnings, progress. Data never goes through here. */
export class Talk {
  readonly #io: Io;
  readonly #flags: TalkFlags;
  readonly #spin: typeof startSpinner;

  constructor(io: Io, flags: TalkFlags, spin = startSpinner) {
    this.#io = io;
    this.#flags = flags;
    this.#spin = spin;
  }

  /** A remark for people: on a terminal only. */
  async note(text: string): Promise<void> {
    if (!this.#flags.quiet && this.#io.err.isTTY)
      this.#io.err.write(`${(await this.#colors()).faint(clean(text))}\n`);
  }

  /** What was done, or what to mind: said in pipes too, unless --quiet. */
  say(text: string): void {
    if (!this.#flags.quiet) this.#io.err.write(`${clean(text)}\n`);
  }

  async warn(text: string): Promise<void> {
    if (!this.#flags.quiet) this.#io.err.write(`${(await this.#colors()).warn('warning:')} ${clean(text)}\n`);
  }

  /** What went wrong, what it concerns, what to do next. Said whatever the flags. */
  async failure({ code, message, hint }: Failure): Promise<void> {
    if (this.#flags.json) {
      this.#io.err.write(jsonLine({ error: { code, message, ...(hint && { hint }) } }));
      return;
    }
    const { bad, faint } = await this.#colors();
    this.#io.err.write(`${bad('error:')} ${clean(message)}\n`);
    if (hint) this.#io.err.write(`${faint('hint:')} ${clean(hint)}\n`);
  }

  /** That something is tried again, so that a silent pause is not taken for a hang. */
  retry({ message, pause }: { message: string; pause: number }): void {
    void this.note(`${message} Trying again in ${(pause / 1000).toFixed(1)} s.`);
  }

  /** One line per request, for --verbose. */
  request({ method, path, status, error, milliseconds }: RequestReport): void {
    const outcome = [status, error].filter((part) => part !== undefined).join(' ');
    this.#io.err.write(`${method} ${clean(path)} ${outcome} ${Math.round(milliseconds)} ms\n`);
  }

  /** Whether a line that changes can be shown: a spinner, a bar. */
  get isLive(): boolean {
    const { err } = this.#io;
    const { quiet, json, verbose } = this.#flags;
    return err.isTTY && err.isSized && !quiet && !json && !verbose;
  }

  async progress(text: string): Promise<Progress> {
    return this.isLive ? await this.#spin(clean(text)) : NO_PROGRESS;
  }

  async #colors(): Promise<Colors> {
    return await colorsFor(this.#io.err);
  }
}

async function startSpinner(text: string): Promise<Progress> {
  const { default: ora } = await import('ora');
  // discardStdin would keep Ctrl-C from reaching us as a signal.
  const spinner = ora({ text, stream: process.stderr, discardStdin: false }).start();
  return {
    text: (next) => {
      spinner.text = clean(next);
    },
    aside: async (say) => {
      spinner.clear();
      await say();
      if (spinner.isSpinning) spinner.render();
    },
    stop: () => void spinner.stop(),
  };
}
