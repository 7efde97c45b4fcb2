import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest, FailureReason, Observer } from '../events/observer.ts';
import type { PendingCounts } from '../queue/forecast.ts';
import { processMetrics } from './process-metrics.ts';
import { addStoreGauges, ifReachable, type SharedStore } from './store-gauges.ts';

/** What is not counted as it happens, but looked up when the metrics are read. */
export interface MetricSources {
  readonly pendingJobs: () => Promise<PendingCounts>;
  readonly eventStreams: () => number;
  readonly workers: () => WorkerCounts;
  readonly connections: () => Promise<number>;
  /** Undefined: the store is a file. */
  readonly store: SharedStore | undefined;
}

/** The workers of this process. */
interface WorkerCounts {
  readonly count: number;
  readonly busy: number;
}

/** Seconds. A skin known is answered in milliseconds, a waiting request after half a minute at most. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds. Signing takes milliseconds, a game account seconds. */
const GENERATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const NO_ROUTE = 'none';

/** Counts for Prometheus, in a registry of its own. What it counts is of this process since its start. */
export class PrometheusMetrics implements Observer {
  readonly #registry = new Registry();
  readonly #counters: Counters;

  constructor(sources: MetricSources) {
    const registers = [this.#registry];
    this.#counters = { ...makeRequestCounters(registers), ...makeJobCounters(registers) };
    if (sources.store) addStoreGauges(this.#registry, sources.store); // first: the others ask the store
    addGauges(this.#registry, sources);
    addWorkers(this.#registry, sources.workers);
    for (const metric of processMetrics()) this.#registry.registerMetric(metric);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything in Prometheus' text format. */
  async read(): Promise<string> {
    return await this.#registry.metrics();
  }

  requestAnswered({ route = NO_ROUTE, method, status, milliseconds }: AnsweredRequest): void {
    this.#counters.requests.inc({ route, method, status: String(status) });
    this.#counters.requestSeconds.observe({ route, method }, milliseconds / 1000);
  }

  refused(code: string): void {
    this.#counters.refusals.inc({ code });
  }

  duplicateAnswered(): void {
    this.#counters.duplicates.inc();
  }

  generated(milliseconds: number): void {
    this.#counters.generationSeconds.observe(milliseconds / 1000);
  }

  jobCompleted(): void {
    this.#counters.completed.inc();
  }

  jobFailed(_uuid: string, { code }: FailureReason): void {
    this.#counters.failed.inc({ code });
  }

  webhookEnded(isDelivered: boolean): void {
    this.#counters.webhooks.inc({ outcome: isDelivered ? 'delivered' : 'given_up' });
  }

  connectionDropped(): void {
    this.#counters.dropped.inc();
  }
}

type Counters = ReturnType<typeof makeRequestCounters> & ReturnType<typeof makeJobCounters>;

function makeRequestCounters(registers: Registry[]) {
  return {
    requests: new Counter({
      name: 'skinsmith_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'skinsmith_http_request_duration_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['route', 'method'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    refusals: new Counter({
      name: 'skinsmith_refusals_total',
      help: 'Requests refused or failed, by error code.',
      labelNames: ['code'],
      registers,
    }),
    dropped: new Counter({
      name: 'skinsmith_connections_dropped_total',
      help: 'Connections closed because there were too many, or because too much came over them.',
      registers,
    }),
  };
}

function makeJobCounters(registers: Registry[]) {
  return {
    webhooks: makeWebhooks(registers),
    duplicates: new Counter({
      name: 'skinsmith_duplicates_total',
      help: 'Generations answered with skin data that was there.',
      registers,
    }),
    generationSeconds: new Histogram({
      name: 'skinsmith_generation_duration_seconds',
      help: 'Time a generator took for skin data.',
      buckets: GENERATION_BUCKETS,
      registers,
    }),
    completed: new Counter({
      name: 'skinsmith_jobs_completed_total',
      help: 'Jobs completed by workers.',
      registers,
    }),
    failed: new Counter({
      name: 'skinsmith_jobs_failed_total',
      help: 'Jobs failed for good, by error code.',
      labelNames: ['code'],
      registers,
    }),
  };
}

/** Begins at 0, so that the first one that is given up is an increase. */
function makeWebhooks(registers: Registry[]) {
  const webhooks = new Counter({
    name: 'skinsmith_webhooks_total',
    help: 'Webhooks delivered, or not tried again.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['delivered', 'given_up']) webhooks.inc({ outcome }, 0);
  return webhooks;
}

function addWorkers(registry: Registry, workers: MetricSources['workers']): void {
  new Gauge({
    name: 'skinsmith_workers',
    help: 'Workers that have a job, or none.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { count, busy } = workers();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, count - busy);
    },
  });
}

function addGauges(registry: Registry, { pendingJobs, eventStreams, connections }: MetricSources): void {
  const registers = [registry];
  new Gauge({
    name: 'skinsmith_jobs',
    help: 'Jobs in the store that have not ended, by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      await ifReachable(async () => {
        for (const [status, count] of Object.entries(await pendingJobs())) this.set({ status }, count);
      });
    },
  });
  new Gauge({
    name: 'skinsmith_event_streams',
    help: 'Callers who follow their jobs.',
    registers,
    collect() {
      this.set(eventStreams());
    },
  });
  new Gauge({
    name: 'skinsmith_connections',
    help: 'Connections open.',
    registers,
    async collect() {
      this.set(await connections());
    },
  });
}
