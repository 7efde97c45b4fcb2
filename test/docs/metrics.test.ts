/** The metrics that docs/monitoring.md explains, and those that its rules for Prometheus use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Metric, Registry } from 'prom-client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isErrorCode } from '../../src/protocol/errors.ts';
import { type MetricSources, Metrics } from '../../src/server/metrics.ts';
import { codeBlocks } from '../support/docs/code-blocks.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8');

interface Known {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
}

/** What a service on PostgreSQL has; one on a file has less. */
const SOURCES: MetricSources = {
  pendingJobs: async () => ({ waiting: 0, processing: 0 }),
  openReports: async () => 0,
  eventStreams: () => 0,
  connections: async () => 0,
  workers: () => ({ count: 1, busy: 0 }),
  store: {
    connections: () => ({ busy: 0, idle: 0, most: 1, waiting: 0, waitingFor: 0, isListening: true }),
    nodes: async () => 1,
    skew: () => 0,
  },
};

/** All metrics that a service registers. prom-client tells the labels of a metric only to whom it registers with. */
function registered(): Known[] {
  const register = vi.spyOn(Registry.prototype, 'registerMetric');
  onTestFinished(() => register.mockRestore());
  const metrics = new Metrics(SOURCES);
  const own = register.mock.contexts.at(-1); // what watches the process has a registry of its own
  expect(metrics.contentType).toBe((own as Registry).contentType);
  const all = register.mock.calls.filter((_, n) => register.mock.contexts[n] === own);
  return all.map(([metric]) => describeMetric(metric as Metric)).toSorted(byName);
}

/** As prom-client has it, though its types do not tell. */
interface Described {
  readonly name: string;
  readonly type: string;
  readonly labelNames: string[];
}

function describeMetric(metric: Metric): Known {
  const { name, type: kind, labelNames } = metric as unknown as Described;
  return { name, kind, labels: labelNames.toSorted() };
}

/** The rows of the tables; one may explain several metrics. */
function documented(): Known[] {
  const rows = TEXT.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const known = rows.flatMap(([, names = '', kind = '', labels = '']) =>
    /^(?:counter|gauge|histogram)$/.test(kind)
      ? quoted(names).map((name) => ({ name, kind, labels: quoted(labels).toSorted() }))
      : [],
  );
  return known.toSorted(byName);
}

const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
const byName = (one: Known, other: Known) => one.name.localeCompare(other.name);

/** The expressions of the rules. */
const RULES = codeBlocks(TEXT)
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ code }) => [...code.matchAll(/- alert: (\w+).*\n +expr: (.+)$/gm)])
  .map(([, alert = '', expression = '']) => ({ alert, expression }));

/** What Prometheus adds to every sample, and the one metric that it makes itself. */
const ADDED = ['job', 'instance'];
const UP: Known = { name: 'up', kind: 'gauge', labels: [] };
/** Those of node_exporter. */
const OF_MACHINE: readonly Known[] = ['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'].map(
  (name) => ({ name, kind: 'gauge', labels: ['mountpoint'] }),
);

/** The parts of histograms, beside the metrics themselves. */
function samplesOf(metrics: readonly Known[]): ReadonlyMap<string, readonly string[]> {
  const samples = [UP, ...OF_MACHINE, ...metrics].flatMap(
    ({ name, kind, labels }): [string, readonly string[]][] =>
      kind === 'histogram'
        ? [
            [`${name}_bucket`, [...labels, 'le']],
            [`${name}_sum`, labels],
            [`${name}_count`, labels],
          ]
        : [[name, labels]],
  );
  return new Map(samples.map(([name, labels]) => [name, [...labels, ...ADDED]]));
}

const OPERATORS = new Set(['and', 'or', 'unless', 'bool']);
const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;

/** Each metric of an expression, with the labels that it is chosen by. */
function selectorsIn(bare: string): { name: string; labels: string[] }[] {
  const found = bare.replaceAll(GROUPING, '').matchAll(/\b([a-z_]\w*)\b(?!\s*\()(?:\{([^}]*)\})?/gi);
  return [...found]
    .map(([, name = '', matchers = '']) => ({ name, labels: matchers.match(/\w+(?=\s*[=!])/g) ?? [] }))
    .filter(({ name }) => !OPERATORS.has(name));
}

function codesIn(expression: string): string[] {
  return [...expression.matchAll(/\bcode[=!]~?"([^"]*)"/g)].flatMap(([, codes = '']) => codes.split('|'));
}

/** What an expression names that does not exist. */
function faults(expression: string, metrics: readonly Known[]): string[] {
  const samples = samplesOf(metrics);
  const bare = expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '');
  const selectors = selectorsIn(bare);
  const used = new Set(selectors.flatMap(({ name }) => samples.get(name) ?? []));
  const groups = [...bare.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.split(/,\s*/));
  return [
    ...selectors.flatMap(({ name, labels }) => {
      const known = samples.get(name);
      return known
        ? labels.filter((label) => !known.includes(label)).map((label) => `${name}{${label}}`)
        : [name];
    }),
    ...groups.filter((label) => !used.has(label)),
    ...codesIn(expression).filter((code) => !isErrorCode(code)),
  ];
}

test('The docs explain every metric of the service once, with its kind and labels, and no others', () => {
  expect(documented()).toEqual(registered());
});

describe('The rules for Prometheus', () => {
  test('are all found, under unique names', () => {
    expect(RULES.length).toBeGreaterThan(10);
    expect(RULES).toHaveLength(TEXT.match(/^ +expr:/gm)?.length ?? 0);
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
  });

  test.each(RULES)('$alert names metrics, labels and error codes that exist', ({ expression }) => {
    expect(faults(expression, registered())).toEqual([]);
  });

  test.each([
    ['skinsmith_job{status="waiting"} > 0', 'skinsmith_job'],
    ['skinsmith_jobs{state="waiting"} > 0 and up == 1', 'skinsmith_jobs{state}'],
    ['sum by (reason) (rate(skinsmith_refusals_total[5m]))', 'reason'],
    ['rate(skinsmith_refusals_total{code=~"job_limit|full"}[5m])', 'full'],
    ['rate(skinsmith_generation_duration_seconds[5m])', 'skinsmith_generation_duration_seconds'],
  ])('fail the check with %s', (expression, fault) => {
    expect(faults(expression, registered())).toEqual([fault]);
  });
});
