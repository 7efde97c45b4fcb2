import { expect, test } from 'vitest';
import { settlingTime, settlingTimeAfterDeath } from '../../src/dispatch/settling-time.ts';
import { noAnswer, page, refusal } from '../support/client/failures.ts';

const timeout = new DOMException('no answer', 'TimeoutError');

test.each([
  ['a cut connection', noAnswer(true), 2_000],
  ['a page of a proxy', page(502), 2_000],
  ['an error of the service', refusal(500, 'internal_error'), 2_000],
  ['a time-out', noAnswer(true, timeout), 15_000],
  ["a proxy's time-out", page(504), 15_000],
])('The job of a submission that ended in %s is listed in %d ms, if there is one', (_, error, expected) => {
  expect(settlingTime(error)).toBe(expected);
});

test.each([
  [0, 20_000],
  [7_000, 13_000],
  [60_000, 2_000],
  [-5_000, 20_000],
])('What a process that died sent %d ms ago is listed in %d ms, if it arrived', (age, expected) => {
  expect(settlingTimeAfterDeath(age)).toBe(expected);
});
