import { expect, test } from 'vitest';
import { settlingTime } from '../../src/dispatch/settling-time.ts';
import { noAnswer, page, refusal } from '../support/client/failures.ts';

const timeout = new DOMException('no answer', 'TimeoutError');

test.each([
  ['a cut connection', noAnswer(true), 300],
  ['a page of a proxy', page(502), 300],
  ['an error of the service', refusal(500, 'internal_error'), 300],
  ['a time-out', noAnswer(true, timeout), 5_000],
  ["a proxy's time-out", page(504), 5_000],
])('The job of a submission that ended in %s is listed in %d ms, if there is one', (_, error, expected) => {
  expect(settlingTime(error)).toBe(expected);
});
