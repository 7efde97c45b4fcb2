import { expect, test } from 'vitest';
import { ErrorLog } from '../../../../src/server/assembly/service-parts.ts';
import { StoreReplacedError } from '../../../../src/server/store/sqlite.ts';

/** A log on a clock that stands still until it is moved, and what was logged. */
function open() {
  const clock = { now: 0, monotonic: () => clock.now };
  const lines: [details: object, message: string][] = [];
  const errors = new ErrorLog({ error: (...line) => void lines.push(line) }, clock);
  return { errors, clock, lines };
}

test('A missing store is logged in one line without a stack, and again once a minute', () => {
  const { errors, clock, lines } = open();
  const report = () => {
    for (const part of ['worker', 'webhooks']) errors.report(new StoreReplacedError(), part);
  };
  report();
  clock.now = 59_999;
  report();
  const { message } = new StoreReplacedError();
  expect(lines).toEqual([[{ code: 'store_replaced' }, message]]);
  clock.now = 60_000;
  report();
  expect(lines.slice(1)).toEqual([[{ code: 'store_replaced', repeated: 3 }, message]]);
});

test('An error other than a missing store is logged at once with its stack', () => {
  const { errors, lines } = open();
  const [full, locked] = [new Error('disk full'), new Error('locked')];
  for (const error of [full, locked, full]) errors.report(error, 'worker');
  errors.report(full, 'webhooks');
  expect(lines).toEqual([
    [{ err: full }, 'worker'],
    [{ err: locked }, 'worker'],
    [{ err: full }, 'webhooks'],
  ]);
});

test('Only the last hundred different errors are remembered', () => {
  const { errors, lines } = open();
  for (let n = 0; n <= 100; n++) errors.report(new Error(`${n}`), 'worker');
  errors.report(new Error('100'), 'worker');
  expect(lines).toHaveLength(101);
  errors.report(new Error('0'), 'worker');
  expect(lines).toHaveLength(102);
});
