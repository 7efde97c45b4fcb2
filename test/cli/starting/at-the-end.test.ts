import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atTheEnd } from '../../../src/cli/starting/at-the-end.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that can end, and how often something was done at its end. */
function started() {
  const process = new EventEmitter();
  const remember = vi.fn();
  atTheEnd(process as unknown as NodeJS.Process, remember);
  return { end: (status: number) => process.emit('exit', status), remember };
}

test('A run that succeeds is remembered when it ends', () => {
  const { end, remember } = started();
  expect(remember).not.toHaveBeenCalled();
  end(0);
  expect(remember).toHaveBeenCalledOnce();
});

test('A run that fails is not', () => {
  const { end, remember } = started();
  end(2);
  expect(remember).not.toHaveBeenCalled();
});

test('A long run is remembered while it still runs, and not again at its end', () => {
  const { end, remember } = started();
  vi.advanceTimersByTime(60_000);
  expect(remember).toHaveBeenCalledOnce();
  end(0);
  expect(remember).toHaveBeenCalledOnce();
});
