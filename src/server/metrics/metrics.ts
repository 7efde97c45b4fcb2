import type { ServiceEvents } from '../events.ts';
import { countPending } from '../queue/lists.ts';
import type { JobFeeds } from '../service/jobs/job-feeds.ts';
import type { Db, OpenStore } from '../store/db.ts';
import { listNodes, NODE_TIMEOUT } from '../store/nodes.ts';
import type { MetricSources } from './prometheus.ts';

/** The metrics of the service in Prometheus' text format. */
export interface Metrics {
  /** Whether everyone may read them, not only an operator. */
  readonly isOpen: boolean;
  readonly contentType: string;
  read(): Promise<string>;
}

export interface MetricsOptions extends Pick<Metrics, 'isOpen'> {
  readonly db: Db;
  readonly feeds: JobFeeds;
  readonly connections: () => Promise<number>;
  readonly workers: MetricSources['workers'];
  readonly store: Pick<OpenStore, 'connections'>;
  /** Milliseconds that this machine's clock is ahead of the store's. */
  readonly skew: () => number;
}

/** Starts counting. Loads the library on demand, so that a service without metrics does not wait for it. */
export async function startMetrics(
  events: ServiceEvents,
  { isOpen, db, feeds, connections, workers, store, skew }: MetricsOptions,
): Promise<Metrics> {
  const { PrometheusMetrics } = await import('./prometheus.ts');
  const metrics = new PrometheusMetrics({
    pendingJobs: async () => await countPending(db),
    eventStreams: () => feeds.size,
    connections,
    workers,
    store: store.connections && {
      ...{ connections: store.connections, skew },
      nodes: async () => await countNodes(db),
    },
  });
  metrics.count(events);
  return { isOpen, contentType: metrics.contentType, read: async () => await metrics.read() };
}

async function countNodes(db: Db): Promise<number> {
  return (await listNodes(db, NODE_TIMEOUT)).length;
}
