import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atTheEnd } from '../../../src/cli/starting/at-the-end.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that can end, and how often something was done at its end, or in a long run. */
function started() {
  const process = new EventEmitter();
  const [atOnce, inSteps] = [vi.fn(), vi.fn()];
  atTheEnd(process as unknown as NodeJS.Process, { atOnce, inSteps });
  return { end: (status: number) => process.emit('exit', status), atOnce, inSteps };
}

test('A run that succeeds is remembered when it ends', () => {
  const { end, atOnce, inSteps } = started();
  expect(atOnce).not.toHaveBeenCalled();
  end(0);
  expect(atOnce).toHaveBeenCalledOnce();
  expect(inSteps).not.toHaveBeenCalled();
});

test('A run that fails is not', () => {
  const { end, atOnce, inSteps } = started();
  end(2);
  expect(atOnce).not.toHaveBeenCalled();
  expect(inSteps).not.toHaveBeenCalled();
});

test('A long run is remembered while it still runs, in steps, and not again at its end', () => {
  const { end, atOnce, inSteps } = started();
  vi.advanceTimersByTime(60_000);
  expect(inSteps).toHaveBeenCalledOnce();
  end(0);
  expect(inSteps).toHaveBeenCalledOnce();
  expect(atOnce).not.toHaveBeenCalled();
});
