import type { JobNews, MetricsSnapshot } from '../../../server/server.ts';

/** Where a process listens, and the owner's key if it was the first to start with new data. */
export interface Listening {
  readonly url: string;
  readonly key: string | undefined;
}

/** What a process that serves tells the primary one, which only supervises. */
export type ToPrimary =
  | { readonly kind: 'started' }
  | ({ readonly kind: 'listening' } & Listening)
  | { readonly kind: 'news'; readonly news: JobNews }
  /** Asks for the metrics of all processes. */
  | { readonly kind: 'collectMetrics'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: MetricsSnapshot };

/** What the primary process tells one that serves. */
export type ToServing =
  | ({ readonly kind: 'begin' } & Part)
  | { readonly kind: 'stop' }
  | { readonly kind: 'news'; readonly news: JobNews }
  /** Asks for the metrics of this process. */
  | { readonly kind: 'sendMetrics'; readonly id: number }
  | { readonly kind: 'allMetrics'; readonly id: number; readonly all: readonly MetricsSnapshot[] };

/** Which of the processes one is. */
export interface Part {
  readonly index: number;
  readonly count: number;
  /** The port to listen on; undefined: as the options say. */
  readonly port: number | undefined;
}
