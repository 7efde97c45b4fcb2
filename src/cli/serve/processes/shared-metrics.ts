import type { Clock } from '../../../base/clock.ts';
import { sleepOrEvent } from '../../../base/sleeping.ts';
import type { MetricSnapshot, MetricsSnapshot } from '../../../server/server.ts';
import type { ServingProcess } from './serving-process.ts';

/** Milliseconds that a process has to send its metrics; after that, those it sent last are used. */
const PATIENCE = 2_000;

interface Collection {
  /** Who has not answered yet. */
  readonly missing: Set<ServingProcess>;
  readonly onComplete: () => void;
}

/** The metrics of all processes that serve. What ended processes had counted when last asked stays in the sums. */
export class SharedMetrics {
  readonly #clock: Clock;
  readonly #latest = new Map<ServingProcess, MetricsSnapshot>();
  readonly #collections = new Map<number, Collection>();
  #ended: MetricsSnapshot = [];
  #nextId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks the processes. @returns one snapshot for each, and one for all that have ended */
  async collect(processes: readonly ServingProcess[]): Promise<MetricsSnapshot[]> {
    const id = this.#nextId++;
    await sleepOrEvent(this.#clock, PATIENCE, (onComplete) => {
      this.#collections.set(id, { missing: new Set(processes), onComplete });
      for (const one of processes) one.send({ kind: 'sendMetrics', id });
      return () => this.#collections.delete(id);
    });
    return [...processes.map((one) => this.#latest.get(one) ?? []), this.#ended];
  }

  /** A process has answered. */
  receive(from: ServingProcess, id: number, metrics: MetricsSnapshot): void {
    if (metrics.length > 0) this.#latest.set(from, metrics);
    const collection = this.#collections.get(id);
    if (collection) strikeOff(from, collection);
  }

  /** A process has ended. */
  retire(one: ServingProcess): void {
    this.#ended = addCounts(this.#ended, this.#latest.get(one) ?? []);
    this.#latest.delete(one);
    for (const collection of this.#collections.values()) strikeOff(one, collection);
  }
}

function strikeOff(one: ServingProcess, { missing, onComplete }: Collection): void {
  missing.delete(one);
  if (missing.size === 0) onComplete();
}

/** The sums of what both have counted; gauges say nothing about a process that has ended. */
export function addCounts(one: MetricsSnapshot, other: MetricsSnapshot): MetricsSnapshot {
  const sums = new Map(one.map((metric) => [metric.name, metric]));
  for (const metric of other) {
    if (metric.type !== 'counter' && metric.type !== 'histogram') continue;
    const known = sums.get(metric.name);
    sums.set(metric.name, known ? { ...metric, values: addValues(known, metric) } : metric);
  }
  return [...sums.values()];
}

function addValues(one: MetricSnapshot, other: MetricSnapshot): MetricSnapshot['values'] {
  const sums = new Map(one.values.map((value) => [keyOf(value), value]));
  for (const value of other.values) {
    const before = sums.get(keyOf(value))?.value ?? 0;
    sums.set(keyOf(value), { ...value, value: before + value.value });
  }
  return [...sums.values()];
}

function keyOf({ metricName, labels }: MetricSnapshot['values'][number]): string {
  return JSON.stringify([metricName, Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b))]);
}
