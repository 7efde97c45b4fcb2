import type { Progress } from '../../batch/events.ts';
import { clean } from './text.ts';

export interface ProgressView extends Progress {
  /** Skins finished a second, of late; undefined: too early to say. */
  readonly rate: number | undefined;
  /** What went wrong last, or what is being waited for. */
  readonly remark: string | undefined;
}

const BAR = 20;
const MOST_REMARK = 60;

/** `1,234` for people. */
export function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A span of time as people say it. */
export function span(seconds: number): string {
  if (seconds < 1) return 'a moment';
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** One line for a terminal, cut to its width. */
export function progressLine(view: ProgressView, columns: number): string {
  const part = view.sources === 0 ? 0 : view.finished / view.sources;
  const filled = view.allRead ? Math.floor(part * BAR) : 0;
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
  const remark = view.remark === undefined ? '' : ` · ${clean(view.remark).slice(0, MOST_REMARK)}`;
  const line = `${bar} ${counts(view)}${remark}`;
  return line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
}

/** The same in words, for a log. */
export function progressSentence(view: ProgressView): string {
  const remark = view.remark === undefined ? '' : ` ${clean(view.remark)}`;
  return `${counts(view)}.${remark}`;
}

function counts(view: ProgressView): string {
  const total = view.allRead ? count(view.sources) : `${count(view.sources)} or more`;
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

function leftText({ allRead, sources, finished, rate }: ProgressView): string | undefined {
  if (!allRead || !rate || finished >= sources) return undefined;
  return `${span((sources - finished) / rate)} left`;
}
