import type { Progress } from '../../batch/options.ts';
import { type PauseView, pauseText } from '../terminal/waits.ts';
import { clean, count, momentAt, oneLine, span } from '../text/text.ts';

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
export interface WaitingView {
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
export function waitingView(pause: PauseView, now: number): WaitingView {
  const { message, ms, at } = pause;
  const seconds = ms / 1_000;
  const time = `next in ${span(seconds)} (${momentAt(at, now)}) · safe to interrupt`;
  return { text: pauseText(pause, now), reason: asPart(message), time, seconds };
}

/** Describes a wait whose end is unknown. `ms`: how long it has lasted. */
export function openWaitingView(message: string, ms: number): WaitingView {
  const so = span(ms / 1_000);
  return {
    text: `${message} Waiting for ${so} so far; Ctrl-C is safe.`,
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

/** The progress of a single source. */
export interface SingleView {
  /** The service's job for the source, once it exists. */
  readonly job: string | undefined;
  readonly seconds: number;
  readonly remark: string | undefined;
  readonly waiting?: ProgressView['waiting'];
}

/** The progress of one source as a terminal line, cut to its width. */
export function singleLine(source: string, view: SingleView, columns: number): string {
  const line = singleParts(source, view).join(' · ');
  return oneLine(line, columns);
}

/** The same state as a sentence, for a log. */
export function singleSentence(source: string, view: SingleView): string {
  return `${singleParts(source, view).join(', ')}.`.replace(/\.\.$/, '.');
}

function singleParts(source: string, { job, seconds, waiting, remark: last }: SingleView): string[] {
  const remark = waiting?.text ?? last;
  const parts = [`Generating ${clean(source)}`];
  if (job !== undefined) parts.push(`job ${clean(job)}`);
  if (seconds >= 2) parts.push(span(seconds));
  if (remark !== undefined) parts.push(clean(remark));
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
