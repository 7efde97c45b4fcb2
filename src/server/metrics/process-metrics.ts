import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

let ofProcess: readonly Metric[] | undefined;

/**
 * Memory, garbage collections, delays of the event loop: they are of the process, whatever services it has, and are
 * watched from the first call on. prom-client never stops to watch: were each service to begin anew, it would be kept for
 * good when it has ended, and each garbage collection would be told to all that ever were.
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
