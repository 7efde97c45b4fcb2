import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ToPrimary, ToServing } from '../../../../src/cli/serve/processes/messages.ts';
import { PrimaryLink } from '../../../../src/cli/serve/processes/primary-link.ts';

class FakeChannel extends EventEmitter<{ message: [message: ToServing] }> {
  readonly sent: ToPrimary[] = [];
  isReleased = false;
  readonly channel = {
    unref: () => {
      this.isReleased = true;
    },
  };

  send(message: ToPrimary): void {
    this.sent.push(message);
  }

  receives(message: ToServing): void {
    this.emit('message', message);
  }
}

async function openLink() {
  const channel = new FakeChannel();
  const opened = PrimaryLink.open(channel);
  channel.receives({ kind: 'begin', index: 1, count: 3, port: 4000 });
  return { channel, link: await opened };
}

test('It says that the process has started, and learns which part it has', async () => {
  const { channel, link } = await openLink();
  expect(channel.sent).toEqual([{ kind: 'started' }]);
  expect([link.index, link.count, link.port]).toEqual([1, 3, 4000]);
});

test('Of the running server it tells the address and the key only', async () => {
  const { channel, link } = await openLink();
  const server = { url: 'http://127.0.0.1:4000', key: 'k', close: async () => {} };
  link.listening(server);
  expect(channel.sent.at(-1)).toEqual({ kind: 'listening', url: 'http://127.0.0.1:4000', key: 'k' });
});

test('It aborts when it is told to stop, once', async () => {
  const { channel, link } = await openLink();
  expect(link.stopSignal.aborted).toBe(false);
  channel.receives({ kind: 'stop' });
  channel.receives({ kind: 'stop' });
  expect(link.stopSignal.aborted).toBe(true);
});

test('News go both ways', async () => {
  const { channel, link } = await openLink();
  const heard: unknown[] = [];
  link.onNews((news) => heard.push(news));
  const news = { accepted: ['ann'], begun: [], finished: [{ uuid: 'u', owner: 'ann' }] };
  link.tell(news);
  channel.receives({ kind: 'news', news });
  expect([channel.sent.at(-1), heard]).toEqual([{ kind: 'news', news }, [news]]);
});

test('It sends its own metrics when asked, and nothing where they cannot be read', async () => {
  const { channel, link } = await openLink();
  const metrics = [{ name: 'c', help: 'c', type: 'counter', values: [] }];
  link.onMetricsWanted(async () => metrics);
  channel.receives({ kind: 'sendMetrics', id: 4 });
  await setImmediate();
  expect(channel.sent.at(-1)).toEqual({ kind: 'metrics', id: 4, metrics });
  link.onMetricsWanted(async () => await Promise.reject(new Error('disk')));
  channel.receives({ kind: 'sendMetrics', id: 5 });
  await setImmediate();
  expect(channel.sent.at(-1)).toEqual({ kind: 'metrics', id: 5, metrics: [] });
});

test('Each collection of metrics gets its own answer', async () => {
  const { channel, link } = await openLink();
  const both = [link.collectMetrics(), link.collectMetrics()];
  channel.receives({ kind: 'allMetrics', id: 1, all: [[]] });
  channel.receives({ kind: 'allMetrics', id: 0, all: [] });
  expect(await Promise.all(both)).toEqual([[], [[]]]);
});

test('Released, it does not keep the process alive', async () => {
  const { channel, link } = await openLink();
  link.release();
  expect(channel.isReleased).toBe(true);
});
