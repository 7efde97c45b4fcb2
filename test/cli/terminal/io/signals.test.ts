import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { listenForSignals, type SignalSource } from '../../../../src/cli/terminal/io.ts';

/** A process that only takes note of being killed. */
function fakeProcess(): SignalSource & EventEmitter & { killed: unknown[] } {
  const emitter = new EventEmitter();
  const killed: unknown[] = [];
  return Object.assign(emitter, {
    pid: 42,
    killed,
    kill: (...args: unknown[]) => void killed.push(args),
  }) as never;
}

test.each([
  ['SIGINT', 'interrupted'],
  ['SIGTERM', 'terminated'],
  ['SIGHUP', 'hungUp'],
])('the first %s asks to stop and keeps listening; the run is then %s', (signal, exit) => {
  const source = fakeProcess();
  const stop = new AbortController();
  listenForSignals(stop, source);
  let listenersSeenByOthers = 0;
  source.on(signal as never, () => {
    listenersSeenByOthers = source.listenerCount(signal);
  });
  source.emit(signal, signal);
  expect(stop.signal.reason).toMatchObject({ name: 'AbortError', exit });
  expect(source.killed).toEqual([]);
  expect(listenersSeenByOthers).toBe(2);
});

test('a second signal ends the process by that signal', () => {
  const source = fakeProcess();
  listenForSignals(new AbortController(), source);
  source.emit('SIGINT', 'SIGINT');
  source.emit('SIGTERM', 'SIGTERM');
  expect(source.killed).toEqual([[42, 'SIGTERM']]);
  expect(source.listenerCount('SIGTERM')).toBe(0);
});

test('Ctrl-C that comes twice at once, from the terminal and from npx, is one', () => {
  const source = fakeProcess();
  const stop = new AbortController();
  let now = 1_000;
  listenForSignals(stop, source, () => now);
  source.emit('SIGINT', 'SIGINT');
  now += 100;
  source.emit('SIGINT', 'SIGINT');
  expect([stop.signal.aborted, source.killed]).toEqual([true, []]);
  now += 300;
  source.emit('SIGINT', 'SIGINT');
  expect(source.killed).toEqual([[42, 'SIGINT']]);
});

test('a second SIGTERM ends the process however soon it comes', () => {
  const source = fakeProcess();
  listenForSignals(new AbortController(), source, () => 1_000);
  source.emit('SIGTERM', 'SIGTERM');
  source.emit('SIGTERM', 'SIGTERM');
  expect(source.killed).toEqual([[42, 'SIGTERM']]);
});

test('SIGUSR1, at which Node opens its debugger, does nothing', () => {
  const source = fakeProcess();
  const stop = new AbortController();
  listenForSignals(stop, source);
  source.emit('SIGUSR1', 'SIGUSR1');
  expect(source.listenerCount('SIGUSR1')).toBe(1);
  expect([stop.signal.aborted, source.killed]).toEqual([false, []]);
});

test('a command that has ended leaves no listener', () => {
  const source = fakeProcess();
  listenForSignals(new AbortController(), source)();
  expect(source.eventNames()).toEqual([]);
});
