import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ServingProcess } from '../../../../src/cli/serve/processes/serving-process.ts';
import { addCounts, SharedMetrics } from '../../../../src/cli/serve/processes/shared-metrics.ts';
import type { MetricSnapshot } from '../../../../src/server/server.ts';
import { FakeChild } from '../../../support/cli/fake-child.ts';
import { SteppedClock } from '../../../support/game/stepped-clock.ts';

function counter(name: string, counts: Readonly<Record<string, number>>): MetricSnapshot {
  const values = Object.entries(counts).map(([code, value]) => ({ value, labels: { code } }));
  return { name, help: name, type: 'counter', values };
}

const gauge: MetricSnapshot = { name: 'g', help: 'g', type: 'gauge', values: [{ value: 1, labels: {} }] };

function twoProcesses() {
  const clock = new SteppedClock();
  const children = [new FakeChild(1), new FakeChild(2)];
  const processes = children.map((child, index) => new ServingProcess(child, index, () => {}));
  return { clock, children, processes, shared: new SharedMetrics(clock) };
}

test('The metrics of all processes are collected when the last has answered', async () => {
  const { processes, children, shared } = twoProcesses();
  const collected = shared.collect(processes);
  expect(children.map(({ received }) => received)).toEqual([
    [{ kind: 'sendMetrics', id: 0 }],
    [{ kind: 'sendMetrics', id: 0 }],
  ]);
  shared.receive(processes[1]!, 0, [counter('c', { x: 2 })]);
  shared.receive(processes[0]!, 0, [counter('c', { x: 1 })]);
  expect(await collected).toEqual([[counter('c', { x: 1 })], [counter('c', { x: 2 })], []]);
});

test('A process that does not answer in time counts with what it sent last', async () => {
  const { clock, processes, shared } = twoProcesses();
  for (const one of processes) shared.receive(one, 0, [counter('c', { x: 1 })]);
  const collected = shared.collect(processes);
  shared.receive(processes[0]!, 0, [counter('c', { x: 5 })]);
  await clock.forward(2_000);
  expect(await collected).toEqual([[counter('c', { x: 5 })], [counter('c', { x: 1 })], []]);
});

test('What an ended process has counted stays, its gauges do not; nobody waits for it', async () => {
  const { processes, shared } = twoProcesses();
  shared.receive(processes[1]!, 0, [counter('c', { x: 2 }), gauge]);
  const collected = shared.collect(processes);
  shared.receive(processes[0]!, 0, [counter('c', { x: 1 }), gauge]);
  await setImmediate();
  shared.retire(processes[1]!);
  expect(await collected).toEqual([[counter('c', { x: 1 }), gauge], [], [counter('c', { x: 2 })]]);
});

test('Counts are added by name and labels, in whatever order the labels are', () => {
  const one = { name: 'h', help: 'h', type: 'histogram' };
  const sum = addCounts(
    [{ ...one, values: [{ value: 1, metricName: 'h_sum', labels: { a: 'x', b: 'y' } }] }],
    [
      {
        ...one,
        values: [
          { value: 2, metricName: 'h_sum', labels: { b: 'y', a: 'x' } },
          { value: 3, metricName: 'h_count', labels: { b: 'y', a: 'x' } },
        ],
      },
    ],
  );
  expect(sum).toEqual([
    {
      ...one,
      values: [
        { value: 3, metricName: 'h_sum', labels: { a: 'x', b: 'y' } },
        { value: 3, metricName: 'h_count', labels: { a: 'x', b: 'y' } },
      ],
    },
  ]);
  expect(addCounts([counter('c', { x: 1, y: 1 })], [counter('c', { x: 1 }), counter('d', { x: 1 })])).toEqual(
    [counter('c', { x: 2, y: 1 }), counter('d', { x: 1 })],
  );
});
