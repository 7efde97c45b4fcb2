import type { Progress } from '../../batch/events.ts';
import type { Clock } from '../../clock.ts';
import type { Io } from '../io.ts';
import { type ProgressView, progressLine, progressSentence } from '../output/progress-text.ts';
import type { Progress as Spinner, Talk } from '../talk.ts';

/** Milliseconds between changes of the line on a terminal, and between lines in a log. */
const REDRAW = 120;
const LOG = 5_000;
/** Milliseconds that the rate looks back. */
const RATE_SPAN = 15_000;

/** Shows how a batch goes on: a bar on a terminal, a line every few seconds elsewhere. */
export class BatchProgress {
  readonly #talk: Talk;
  readonly #io: Io;
  readonly #clock: Clock;
  #read: (() => Progress) | undefined;
  #spinner: Spinner | undefined;
  #timer: NodeJS.Timeout | undefined;
  #remark: string | undefined;
  #samples: { at: number; finished: number }[] = [];
  #loggedAt: number;

  constructor({ talk, io, clock }: { talk: Talk; io: Io; clock: Clock }) {
    this.#talk = talk;
    this.#io = io;
    this.#clock = clock;
    this.#loggedAt = clock.monotonic();
  }

  /** `read` says where the batch stands. */
  async start(read: () => Progress): Promise<void> {
    this.#read = read;
    if (this.#talk.isLive) this.#spinner = await this.#talk.progress('Reading the sources');
    this.#timer = setInterval(() => this.#tick(), REDRAW);
  }

  /** What went wrong last, or what is waited for; shown behind the counts. */
  remark(text: string | undefined): void {
    this.#remark = text;
  }

  /** Says something without tearing the line. */
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
      this.#spinner.text(progressLine(view, Math.max(20, this.#io.err.columns - 3)));
      return;
    }
    const now = this.#clock.monotonic();
    if (now - this.#loggedAt < LOG) return;
    this.#loggedAt = now;
    this.#talk.say(progressSentence(view));
  }

  #view(): ProgressView | undefined {
    const progress = this.#read?.();
    return progress && { ...progress, rate: this.#rate(progress.finished), remark: this.#remark };
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
