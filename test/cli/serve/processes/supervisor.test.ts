import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Listening } from '../../../../src/cli/serve/processes/messages.ts';
import { Supervisor, type SupervisorOptions } from '../../../../src/cli/serve/processes/supervisor.ts';
import { FakeChild } from '../../../support/cli/fake-child.ts';
import { SteppedClock } from '../../../support/game/stepped-clock.ts';

/** Runs a supervisor whose processes the test plays. */
function supervise(options: Partial<Pick<SupervisorOptions, 'count' | 'port'>> = {}) {
  const children: FakeChild[] = [];
  const announced: Listening[] = [];
  const lost: unknown[] = [];
  const stop = new AbortController();
  const clock = new SteppedClock();
  const start = () => {
    const child = new FakeChild(children.length + 1);
    children.push(child);
    return child;
  };
  const supervisor = new Supervisor({
    count: 2,
    port: 7546,
    ...options,
    start,
    clock,
    signal: stop.signal,
    onListening: ({ url, key }) => announced.push({ url, key }),
    onLost: ({ pid, signal, code, pause }) => lost.push({ pid, signal, code, pause }),
  });
  return { children, announced, lost, stop, clock, status: supervisor.run() };
}

/** The same with all processes listening. */
async function running(port = 7546, options: Partial<Pick<SupervisorOptions, 'count' | 'port'>> = {}) {
  const all = supervise({ port, ...options });
  all.children[0]!.listens(port || 4000, 'the key');
  await setImmediate();
  for (const child of all.children.slice(1)) child.listens(port || 4000);
  await setImmediate();
  return all;
}

test('The first process starts by itself, and the service is announced when all of them listen', async () => {
  const { children, announced } = supervise({ count: 3 });
  expect(children).toHaveLength(1);
  children[0]!.listens(7546, 'the key');
  await setImmediate();
  expect([children.length, announced]).toEqual([3, []]);
  children[1]!.listens(7546);
  await setImmediate();
  expect(announced).toEqual([]);
  children[2]!.listens(7546);
  await setImmediate();
  expect(announced).toEqual([{ url: 'http://127.0.0.1:7546', key: 'the key' }]);
  expect(children.map(({ received }) => received)).toEqual(
    [0, 1, 2].map((index) => [{ kind: 'begin', index, count: 3, port: 7546 }]),
  );
});

test('What the first process cannot start with ends the service with the same exit status', async () => {
  const { children, status } = supervise();
  children[0]!.says({ kind: 'started' });
  children[0]!.end(2);
  expect([await status, children.length]).toEqual([2, 1]);
});

test('When another process cannot start, all are stopped', async () => {
  const { children, announced, status } = supervise();
  children[0]!.listens(7546);
  await setImmediate();
  children[1]!.end(1);
  await setImmediate();
  expect(children[0]!.received.at(-1)).toEqual({ kind: 'stop' });
  children[0]!.end(0);
  expect([await status, announced]).toEqual([1, []]);
});

test("The owner's first key is shown even if another process cannot start", async () => {
  const { children, announced, status } = supervise();
  children[0]!.listens(7546, 'the key');
  await setImmediate();
  children[1]!.end(1);
  await setImmediate();
  children[0]!.end(0);
  expect([await status, announced]).toMatchObject([1, [{ key: 'the key' }]]);
});

test('A process that dies is replaced, later each time it dies soon', async () => {
  const { children, lost, clock } = await running();
  children[1]!.end(null, 'SIGKILL');
  await setImmediate();
  expect(lost).toEqual([{ pid: 2, signal: 'SIGKILL', code: null, pause: 100 }]);
  expect(children).toHaveLength(2);
  await clock.forward(100);
  children[2]!.listens(7546);
  children[2]!.end(1);
  await clock.forward(199);
  expect(children).toHaveLength(3);
  await clock.forward(1);
  expect(children).toHaveLength(4);
  children[3]!.listens(7546);
  await clock.forward(60_000);
  children[3]!.end(1);
  await setImmediate();
  expect(lost.at(-1)).toMatchObject({ code: 1, pause: 100 });
  expect(children[3]!.received).toEqual([{ kind: 'begin', index: 1, count: 2, port: 7546 }]);
});

test('Told to stop, it tells every process once and ends when they have ended', async () => {
  const { children, stop, status } = await running();
  stop.abort();
  for (const child of children) {
    expect(child.received.filter(({ kind }) => kind === 'stop')).toEqual([{ kind: 'stop' }]);
    child.end(0);
  }
  expect([await status, children.length]).toEqual([0, 2]);
});

test('A process that fails while it stops fails the service', async () => {
  const { children, stop, status } = await running();
  stop.abort();
  children[0]!.end(0);
  children[1]!.end(null, 'SIGSEGV');
  expect(await status).toBe(1);
});

test('Told to stop while a process is replaced, it starts no other', async () => {
  const { children, stop, status } = await running();
  children[1]!.end(null, 'SIGKILL');
  await setImmediate();
  stop.abort();
  children[0]!.end(0);
  expect([await status, children.length]).toEqual([0, 2]);
});

test('A process that starts while the service stops is stopped as soon as it can hear it', async () => {
  const { children, stop } = supervise();
  stop.abort();
  children[0]!.says({ kind: 'started' });
  expect(children[0]!.received.slice(-2).map(({ kind }) => kind)).toEqual(['begin', 'stop']);
});

test('What one process tells of jobs reaches all others', async () => {
  const { children } = await running(7546, { count: 3 });
  const news = { accepted: ['ann'], begun: [], finished: [] };
  children[1]!.says({ kind: 'news', news });
  expect(children.map(({ received }) => received.some(({ kind }) => kind === 'news'))).toEqual([
    true,
    false,
    true,
  ]);
});

test('A port that the system chose stays the same, even when all processes die at once', async () => {
  const { children, clock } = await running(0);
  children[0]!.end(null, 'SIGKILL');
  await clock.forward(100);
  children[2]!.says({ kind: 'started' });
  expect(children[2]!.received).toEqual([{ kind: 'begin', index: 0, count: 2, port: 0 }]);
  children[1]!.end(null, 'SIGKILL');
  children[2]!.listens(4001); // nobody held the old port any more
  expect(children[2]!.kills).toEqual(['SIGKILL']);
  await clock.forward(100);
  children[3]!.says({ kind: 'started' });
  expect(children[3]!.received).toEqual([{ kind: 'begin', index: 1, count: 2, port: 4000 }]);
});
