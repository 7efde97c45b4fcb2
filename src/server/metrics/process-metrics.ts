import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

let ofProcess: readonly Metric[] | undefined;

/**
 * The metrics of the process: memory, garbage collections, delays of the event loop. They are collected once for all
 * services of the process, from the first call on. prom-client never stops collecting: a collector for each service
 * would stay in memory after the service has ended, and be called at every garbage collection.
 */
export function processMetrics(): readonly Metric[] {
  ofProcess ??= watchProcess();
  return ofProcess;
}

function watchProcess(): readonly Metric[] {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register.getMetricsAsArray() as unknown as Metric[];
}
