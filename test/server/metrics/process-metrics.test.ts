import { PerformanceObserver } from 'node:perf_hooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Metrics } from '../../../src/server/metrics.ts';

const SOURCES = {
  pendingJobs: async () => ({ waiting: 0, processing: 0 }),
  openReports: async () => 0,
  eventStreams: () => 0,
  connections: async () => 0,
  workers: () => ({ count: 1, busy: 0 }),
  store: undefined,
};

test('The process is watched once, however many services it has', async () => {
  const watching = vi.spyOn(PerformanceObserver.prototype, 'observe');
  onTestFinished(() => watching.mockRestore());
  const all = Array.from({ length: 3 }, () => new Metrics(SOURCES));
  expect(watching.mock.calls.length).toBeLessThanOrEqual(1);
  for (const metrics of all) {
    const text = await metrics.read();
    expect(text).toContain('\nprocess_cpu_seconds_total ');
    expect(text).toContain('\nnodejs_eventloop_lag_p99_seconds ');
    expect(text).toContain('# TYPE nodejs_gc_duration_seconds histogram');
  }
});
