import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { AWAKE, systemClock } from '../base/clock.ts';
import type { ServiceEvents } from './events.ts';
import type { PendingCounts } from './queue/lists.ts';
import type { StoreConnections } from './store/db.ts';
import { isUnreachable } from './store/failures.ts';

let ofProcess: readonly Metric[] | undefined;

/**
 * The metrics of the process: memory, garbage collections, event loop delays. They are collected once for all services
 * of the process, from the first call. prom-client never stops collecting, so a collector per service would stay in
 * memory after the service has ended, and run at every garbage collection.
 */
function processMetrics(): readonly Metric[] {
  ofProcess ??= watchProcess();
  return ofProcess;
}

function watchProcess(): readonly Metric[] {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register.getMetricsAsArray() as unknown as Metric[];
}

/** State of a store that several nodes share, and of this process's connections to it. */
interface SharedStore {
  readonly connections: () => StoreConnections;
  readonly nodes: () => Promise<number>;
  /** Milliseconds that this machine's clock is ahead of the database's. */
  readonly skew: () => number;
}

function addStoreGauges(registry: Registry, { connections, nodes, skew }: SharedStore): void {
  addBusy(registry, 'skinsmith_store_connections', {
    help: 'Connections to the store, except the one that listens.',
    count: connections,
  });
  addGauge(registry, 'skinsmith_store_connections_limit', {
    help: 'Maximum number of connections to the store.',
    value: () => connections().most,
  });
  addGauge(registry, 'skinsmith_store_waiting', {
    help: 'Requests waiting for a connection to the store.',
    value: () => connections().waiting,
  });
  addGauge(registry, 'skinsmith_store_listening', {
    help: 'Whether notifications from other nodes arrive at once: 1 or 0.',
    value: () => Number(connections().isListening),
  });
  addStored(registry, 'skinsmith_nodes', {
    help: 'Live nodes that share the store, on all machines.',
    value: nodes,
  });
  addGauge(registry, 'skinsmith_store_clock_skew_seconds', {
    help: "Seconds that this machine's clock is ahead of the database's.",
    value: () => skew() / 1000,
  });
}

/** A value that is looked up when the metrics are read. */
function addGauge(
  registry: Registry,
  name: string,
  { help, value }: { readonly help: string; readonly value: () => number | Promise<number> },
): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    async collect() {
      this.set(await value());
    },
  });
}

/** A value in the store, which may be unreachable. */
function addStored(
  registry: Registry,
  name: string,
  { help, value }: { readonly help: string; readonly value: () => Promise<number> },
): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    async collect() {
      this.remove();
      await ifReachable(async () => this.set(await value()));
    },
  });
}

/** A gauge with the labels busy and idle. */
function addBusy(
  registry: Registry,
  name: string,
  {
    help,
    count,
  }: { readonly help: string; readonly count: () => { readonly busy: number; readonly idle: number } },
): void {
  new Gauge({
    ...{ name, help, labelNames: ['state'], registers: [registry] },
    collect() {
      const { busy, idle } = count();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, idle);
    },
  });
}

/** Milliseconds after which a store that does not answer counts as unreachable. */
const LIMIT = 5_000;

/** Leaves out the metrics from the store while it is unreachable, so that the rest can be read just then. */
async function ifReachable(collect: () => Promise<void>): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([collect(), systemClock.sleep(LIMIT, timer.signal)]);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  } finally {
    timer.abort(AWAKE);
  }
}

/** Values that are not counted as they occur, but looked up when the metrics are read. */
export interface MetricSources {
  readonly pendingJobs: () => Promise<PendingCounts>;
  readonly openReports: () => Promise<number>;
  readonly eventStreams: () => number;
  /** Those of this process. */
  readonly workers: () => { readonly count: number; readonly busy: number };
  readonly connections: () => Promise<number>;
  /** Undefined: the store is a file. */
  readonly store: SharedStore | undefined;
}

/** Seconds. Known skins are answered in milliseconds, waiting requests after half a minute at most. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds. Signing takes milliseconds, a game account seconds. */
const GENERATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const NO_ROUTE = 'none';

/** Metrics for Prometheus in a registry of their own. They count events of this process since its start. */
export class Metrics {
  /** Whether everyone may read them, not only an operator. */
  readonly isOpen: boolean;
  readonly #registry = new Registry();
  readonly #counters: ReturnType<typeof makeCounters>;

  constructor(sources: MetricSources, { isOpen = false }: { readonly isOpen?: boolean } = {}) {
    this.isOpen = isOpen;
    this.#counters = makeCounters([this.#registry]);
    if (sources.store) addStoreGauges(this.#registry, sources.store); // first, because the others read the store
    addGauges(this.#registry, sources);
    for (const metric of processMetrics()) this.#registry.registerMetric(metric);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything in Prometheus' text format. */
  async read(): Promise<string> {
    return await this.#registry.metrics();
  }

  /** Counts these events from now on. */
  count(events: ServiceEvents): void {
    const counters = this.#counters;
    events
      .on('requestAnswered', ({ route = NO_ROUTE, method, status, milliseconds }) => {
        counters.requests.inc({ route, method, status: String(status) });
        counters.requestSeconds.observe({ route, method }, milliseconds / 1000);
      })
      .on('refused', (code) => counters.refusals.inc({ code }))
      .on('duplicateAnswered', () => counters.duplicates.inc())
      .on('generated', (milliseconds) => counters.generationSeconds.observe(milliseconds / 1000))
      .on('jobCompleted', () => counters.completed.inc())
      .on('jobFailed', (_uuid, { code }) => counters.failed.inc({ code }))
      .on('webhookEnded', (isDelivered) =>
        counters.webhooks.inc({ outcome: isDelivered ? 'delivered' : 'given_up' }),
      )
      .on('connectionDropped', () => counters.dropped.inc());
  }
}

function makeCounters(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const counters = {
    requests: counter('skinsmith_http_requests_total', 'Answered requests.', ['route', 'method', 'status']),
    requestSeconds: new Histogram({
      name: 'skinsmith_http_request_duration_seconds',
      help: 'Time from the start of a request to the end of its answer.',
      labelNames: ['route', 'method'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    refusals: counter('skinsmith_refusals_total', 'Refused or failed requests, by error code.', ['code']),
    dropped: counter(
      'skinsmith_connections_dropped_total',
      'Connections closed because there were too many, or because they sent too much.',
    ),
    webhooks: counter('skinsmith_webhooks_total', 'Webhooks delivered or abandoned.', ['outcome']),
    duplicates: counter('skinsmith_duplicates_total', 'Generations answered with known skin data.'),
    generationSeconds: new Histogram({
      name: 'skinsmith_generation_duration_seconds',
      help: 'Time a generator took to make skin data.',
      buckets: GENERATION_BUCKETS,
      registers,
    }),
    completed: counter('skinsmith_jobs_completed_total', 'Jobs completed by workers.'),
    failed: counter('skinsmith_jobs_failed_total', 'Permanently failed jobs, by error code.', ['code']),
  };
  // At 0, so that the first abandoned webhook shows as an increase.
  for (const outcome of ['delivered', 'given_up']) counters.webhooks.inc({ outcome }, 0);
  return counters;
}

function addGauges(
  registry: Registry,
  { pendingJobs, openReports, eventStreams, connections, workers }: MetricSources,
): void {
  new Gauge({
    name: 'skinsmith_jobs',
    help: 'Unfinished jobs in the store, by status.',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      this.reset();
      await ifReachable(async () => {
        for (const [status, count] of Object.entries(await pendingJobs())) this.set({ status }, count);
      });
    },
  });
  addStored(registry, 'skinsmith_open_reports', {
    help: 'Reports that wait for an operator.',
    value: openReports,
  });
  addGauge(registry, 'skinsmith_event_streams', {
    help: 'Open event streams of callers.',
    value: eventStreams,
  });
  addGauge(registry, 'skinsmith_connections', { help: 'Open connections.', value: connections });
  addBusy(registry, 'skinsmith_workers', {
    help: 'Workers with and without a job.',
    count: () => {
      const { count, busy } = workers();
      return { busy, idle: count - busy };
    },
  });
}
