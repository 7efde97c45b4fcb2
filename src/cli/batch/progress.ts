import type { Clock } from '../../base/clock.ts';
import type { BatchSummary, Progress, RunningProgress } from '../../batch/options.ts';
import type { ResultPictures } from '../output/results.ts';
import { type Messages, type PauseView, pauseText, type Spinner } from '../terminal/messages.ts';
import { clean, count, momentAt, oneLine, span } from '../text/text.ts';
import type { BatchCall, Output } from './output.ts';

export interface ProgressView extends Progress {
  /** Recent rate in finished skins per second; undefined while it is too early to tell. */
  readonly rate: number | undefined;
  /** Seconds that the rest takes at least, by the service's limits. */
  readonly leastSeconds: number;
  /** The last problem or the current wait. */
  readonly remark: string | undefined;
  /** The known wait of the batch; undefined if there is none. */
  readonly waiting?: WaitingView | undefined;
}

/** A wait in sentences; for one line, its reason and how long it takes; and the remaining seconds where known. */
interface WaitingView {
  readonly text: string;
  readonly reason: string;
  readonly time: string;
  readonly seconds: number | undefined;
}

const BAR = 20;
const MAX_REMARK = 60;
/** Characters of a reason that are worth showing. */
const MIN_REASON = 12;

/** Describes a wait of a batch. `now`: milliseconds since the epoch. */
function waitingView(pause: PauseView, now: number): WaitingView {
  const { message, ms, at } = pause;
  const seconds = ms / 1_000;
  const time = `next in ${span(seconds)} (${momentAt(at, now)}) · safe to interrupt`;
  return { text: pauseText(pause, now), reason: asPart(message), time, seconds };
}

/** Describes a wait whose end is unknown. `ms`: how long it has lasted. */
function openWaitingView(message: string, ms: number): WaitingView {
  const so = span(ms / 1_000);
  return {
    text: `${message} Waited for ${so} so far; Ctrl-C is safe.`,
    reason: asPart(message),
    time: `waiting for ${so} · safe to interrupt`,
    seconds: undefined,
  };
}

/** A sentence as a part of a line: `Rate limit reached.` as `rate limit reached`. */
function asPart(sentence: string): string {
  return clean(sentence)
    .replace(/\.$/, '')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
}

/** One line for a terminal, cut to its width. */
export function progressLine(view: ProgressView, columns: number): string {
  const part = view.sources === 0 ? 0 : view.finished / view.sources;
  const filled = view.allRead ? Math.floor(part * BAR) : 0;
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
  if (view.waiting) return waitingLine(view.waiting, bar, counts(view), columns);
  const remark = view.remark === undefined ? '' : ` · ${clean(view.remark).slice(0, MAX_REMARK)}`;
  return oneLine(`${bar} ${counts(view)}${remark}`, columns);
}

/** In a narrow terminal the bar goes first, then the end of the reason. */
function waitingLine({ reason, time }: WaitingView, bar: string, counted: string, columns: number): string {
  const whole = `${bar} ${counted} · ${reason} · ${time}`;
  if (whole.length <= columns) return whole;
  const room = columns - `${counted} ·  · ${time}`.length;
  const said = room < MIN_REASON ? [] : [oneLine(reason, room)];
  return oneLine([counted, ...said, time].join(' · '), columns);
}

/** The same state as a sentence, for a log. */
export function progressSentence(view: ProgressView): string {
  const said = view.waiting?.text ?? view.remark;
  const remark = said === undefined ? '' : ` ${clean(said)}`;
  return `${counts(view)}.${remark}`;
}

interface SingleView {
  /** The service's job for the source, once it exists. */
  readonly job: string | undefined;
  readonly seconds: number;
  readonly remark: string | undefined;
  readonly waiting?: ProgressView['waiting'];
}

/** The progress of one source as a terminal line, cut to its width. */
export function singleLine(source: string, view: SingleView, columns: number): string {
  const remark = remarkOf(view);
  const parts = remark === undefined ? singleParts(source, view) : [...singleParts(source, view), remark];
  return oneLine(parts.join(' · '), columns);
}

/** The same state in sentences, for a log. */
export function singleSentence(source: string, view: SingleView): string {
  return [`${singleParts(source, view).join(', ')}.`, remarkOf(view)].filter(Boolean).join(' ');
}

function remarkOf({ waiting, remark }: SingleView): string | undefined {
  const said = waiting?.text ?? remark;
  return said === undefined ? undefined : clean(said);
}

function singleParts(source: string, { job, seconds }: SingleView): string[] {
  const parts = [`Generating ${clean(source)}`];
  if (job !== undefined) parts.push(`job ${clean(job)}`);
  if (seconds >= 2) parts.push(span(seconds));
  return parts;
}

function counts(view: ProgressView): string {
  const total = view.allRead ? count(view.sources) : `${count(view.sources)} so far`;
  const parts = [
    `${count(view.finished)} of ${total}`,
    view.failed > 0 ? `${count(view.failed)} failed` : undefined,
    view.queued > 0 ? `${count(view.queued)} in the queue` : undefined,
    view.rate === undefined ? undefined : rateText(view.rate),
    leftText(view),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function rateText(rate: number): string {
  return rate >= 1 ? `${rate.toFixed(rate < 10 ? 1 : 0)} a second` : `${(rate * 60).toFixed(0)} a minute`;
}

/** The remaining time, unless a known wait is longer. */
function leftText({
  allRead,
  sources,
  finished,
  rate,
  leastSeconds,
  waiting,
}: ProgressView): string | undefined {
  if (!allRead || !rate || finished >= sources) return undefined;
  const seconds = Math.max((sources - finished) / rate, leastSeconds);
  if (waiting && (waiting.seconds ?? Number.POSITIVE_INFINITY) > seconds) return undefined;
  return `${span(seconds)} left`;
}

/** Milliseconds between updates of the line on a terminal, and between lines in a log. */
const REDRAW = 120;
const LOG = 5_000;
/** The same after a new reason to wait, which must have lasted for as long. */
const NEWS = 1_000;
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
interface ProgressText {
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
  /** How many sources there are, known before all are read. */
  #total: number | undefined;
  #spinner: Spinner | undefined;
  #timer: NodeJS.Timeout | undefined;
  #remark: string | undefined;
  #wait: Wait | undefined;
  #samples: { at: number; finished: number }[] = [];
  #loggedAt: number;
  /** The reasons to wait that a log has had. */
  readonly #logged = new Set<string>();

  constructor({ messages, clock }: { messages: Messages; clock: Clock }, text: ProgressText) {
    this.#messages = messages;
    this.#clock = clock;
    this.#text = text;
    this.#loggedAt = clock.monotonic();
  }

  /** `read` returns the current state of the batch. `total`: the number of sources, if anything but reading them tells it. */
  async start(read: () => RunningProgress, total?: Promise<number | undefined>): Promise<void> {
    this.#read = read;
    total?.then(
      (known) => {
        this.#total = known;
      },
      () => {}, // the batch has the same trouble, and reports it
    );
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
    const news = view.waiting && this.#wait && !this.#logged.has(this.#wait.message) ? this.#wait : undefined;
    const isDue = now - this.#loggedAt >= LOG || (news && now - Math.max(news.since, this.#loggedAt) >= NEWS);
    if (!isDue) return;
    this.#loggedAt = now;
    if (news) this.#logged.add(news.message);
    const sentence = this.#text.sentence(view);
    if (sentence !== undefined) this.#messages.say(sentence);
  }

  #view(): ProgressView | undefined {
    const progress = this.#progress();
    const rate = progress && this.#rate(progress.finished);
    return progress && { ...progress, rate, remark: this.#remark, waiting: this.#waiting() };
  }

  #progress(): RunningProgress | undefined {
    const progress = this.#read?.();
    if (!progress || progress.allRead || this.#total === undefined) return progress;
    return { ...progress, sources: Math.max(this.#total, progress.sources), allRead: true };
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
  readonly pictures?: ResultPictures;
  /** Called when the service has created a job for a source. */
  readonly accepted?: (job: string) => void;
}
