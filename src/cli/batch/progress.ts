import type { Clock } from '../../base/clock.ts';
import type { BatchSummary, RunningProgress } from '../../batch/options.ts';
import {
  openWaitingView,
  type ProgressView,
  progressLine,
  progressSentence,
  waitingView,
} from '../output/progress-text.ts';
import type { ResultPictures } from '../output/results.ts';
import type { Messages, Spinner } from '../terminal/messages.ts';
import type { BatchCall } from './call.ts';
import type { Output } from './output.ts';

/** Milliseconds between updates of the line on a terminal, and between lines in a log. */
const REDRAW = 120;
const LOG = 5_000;
/** Window over which the rate is measured, in milliseconds. */
const RATE_SPAN = 15_000;
/** Milliseconds for which a wait of unknown length stays valid; the service repeats it while it lasts. */
const REPEATED = 8_000;

interface Wait {
  readonly message: string;
  readonly ms: number | undefined;
  /** On the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly until: number;
}

/** How progress is rendered: one line cut to the terminal's width, and a plain sentence for a log. */
export interface ProgressText {
  readonly line: (view: ProgressView, columns: number) => string;
  /** Undefined when there is nothing to show. */
  readonly sentence: (view: ProgressView) => string | undefined;
}

/** Progress over many sources: a bar and the counts. */
export const LIST_PROGRESS: ProgressText = { line: progressLine, sentence: progressSentence };

/** Shows the progress of a batch: a bar on a terminal, a line every few seconds elsewhere. */
export class BatchProgress {
  readonly #messages: Messages;
  readonly #clock: Clock;
  readonly #text: ProgressText;
  #read: (() => RunningProgress) | undefined;
  #spinner: Spinner | undefined;
  #timer: NodeJS.Timeout | undefined;
  #remark: string | undefined;
  #wait: Wait | undefined;
  #samples: { at: number; finished: number }[] = [];
  #loggedAt: number;

  constructor({ messages, clock }: { messages: Messages; clock: Clock }, text: ProgressText) {
    this.#messages = messages;
    this.#clock = clock;
    this.#text = text;
    this.#loggedAt = clock.monotonic();
  }

  /** `read` returns the current state of the batch. */
  async start(read: () => RunningProgress): Promise<void> {
    this.#read = read;
    if (this.#messages.isLive) this.#spinner = await this.#messages.progress('Reading the sources');
    this.#timer = setInterval(() => this.#tick(), REDRAW);
  }

  /** Shows the last problem or the current wait after the counts. */
  remark(text: string | undefined): void {
    this.#remark = text;
  }

  /**
   * Sets what the batch waits for. `ms` is the length of the wait, undefined if unknown. A longer wait replaces a
   * shorter one.
   */
  wait(message: string, ms: number | undefined): void {
    const now = this.#clock.monotonic();
    const since = this.#wait?.message === message && this.#wait.until > now ? this.#wait.since : now;
    const until = now + (ms ?? REPEATED);
    if (this.#wait && this.#wait.until > until && this.#wait.ms !== undefined) return;
    this.#wait = { message, ms, since, until };
  }

  /** Ends the wait. */
  goesOn(): void {
    this.#wait = undefined;
    this.#remark = undefined;
  }

  /** Prints a message without breaking the progress line. */
  async aside(say: () => Promise<void> | void): Promise<void> {
    if (this.#spinner) await this.#spinner.aside(say);
    else await say();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#spinner?.stop();
    this.#spinner = undefined;
  }

  #tick(): void {
    const view = this.#view();
    if (!view) return;
    if (this.#spinner) {
      this.#spinner.text(this.#text.line(view, this.#messages.liveWidth));
      return;
    }
    const now = this.#clock.monotonic();
    if (now - this.#loggedAt < LOG) return;
    this.#loggedAt = now;
    const sentence = this.#text.sentence(view);
    if (sentence !== undefined) this.#messages.say(sentence);
  }

  #view(): ProgressView | undefined {
    const progress = this.#read?.();
    const rate = progress && this.#rate(progress.finished);
    return progress && { ...progress, rate, remark: this.#remark, waiting: this.#waiting() };
  }

  #waiting(): ProgressView['waiting'] {
    const now = this.#clock.monotonic();
    if (!this.#wait || this.#wait.until <= now) return undefined;
    const { message, ms, since, until } = this.#wait;
    if (ms === undefined) return openWaitingView(message, now - since);
    const left = until - now;
    return waitingView({ message, ms: left, at: this.#clock.now() + left }, this.#clock.now());
  }

  #rate(finished: number): number | undefined {
    const at = this.#clock.monotonic();
    this.#samples.push({ at, finished });
    while (this.#samples.length > 2 && at - (this.#samples[0]?.at ?? at) > RATE_SPAN) this.#samples.shift();
    const first = this.#samples[0];
    if (!first || at - first.at < 1_000 || finished === first.finished) return undefined;
    return ((finished - first.finished) / (at - first.at)) * 1_000;
  }
}

/** The differences in output between one source and many. */
export interface Presentation {
  /** Where results are written in addition to stdout. */
  readonly openOutput: (call: BatchCall) => Output;
  readonly progress: ProgressText;
  /** Prints the summary and returns the exit status. `failures`: the codes of all failed sources' errors. */
  readonly printSummary: (
    summary: BatchSummary,
    call: BatchCall,
    failures: ReadonlySet<string>,
  ) => Promise<number>;
  /** Images shown beside results on a terminal. */
  readonly pictures?: ResultPictures;
  /** Called when the service has created a job for a source. */
  readonly accepted?: (job: string) => void;
}
