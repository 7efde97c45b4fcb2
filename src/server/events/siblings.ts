import type { JobName } from './job-signals.ts';

/** What has happened to a process's jobs, for the other processes of the service. */
export interface JobNews {
  /** Owners of whom it has accepted jobs. */
  readonly accepted: readonly string[];
  readonly begun: readonly JobName[];
  readonly finished: readonly JobName[];
  /** Whether none of it concerns workers: the results of all accepted jobs were known. Absent: it may. */
  readonly withoutWork?: boolean | undefined;
}

/** One metric of one process, as prom-client describes it. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator?: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

/** All metrics of one process. */
export type MetricsSnapshot = readonly MetricSnapshot[];

/** Tells processes of each other's jobs. */
export interface NewsExchange {
  /** Tells the others what has happened here. */
  tell(news: JobNews): void;
  /** Calls back with what the others tell. */
  onNews(listener: (news: JobNews) => void): void;
}

/** The processes that together are one service, as one of them sees them. */
export interface Siblings extends NewsExchange {
  /** Which of the `count` processes this is, from 0. */
  readonly index: number;
  readonly count: number;
  /**
   * The metrics of all processes, this one included. Processes that have ended are included with what they counted, so
   * that no sum decreases.
   */
  collectMetrics(): Promise<readonly MetricsSnapshot[]>;
  /** Says where this process's own metrics come from. */
  onMetricsWanted(read: () => Promise<MetricsSnapshot>): void;
}

/** This process's part of a number that all of them share. The parts add up to `total`. */
export function partOf(total: number, { index, count }: Pick<Siblings, 'index' | 'count'>): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}
