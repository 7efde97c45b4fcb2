import { describe, expect, test } from 'vitest';
import { Lag, settlingTime, settlingTimeAfterDeath } from '../../../src/dispatch/service-facts.ts';
import { noAnswer, page, refusal } from '../../support/client/failures.ts';

const timeout = new DOMException('no answer', 'TimeoutError');

test.each([
  ['a cut connection', noAnswer(true), 5_000],
  ['a page of a proxy', page(502), 5_000],
  ['an error of the service', refusal(500, 'internal_error'), 5_000],
  ['a time-out', noAnswer(true, timeout), 15_000],
  ["a proxy's time-out", page(504), 15_000],
])('The job of a submission that ended in %s is listed in %d ms, if there is one', (_, error, expected) => {
  expect(settlingTime(error)).toBe(expected);
});

test.each([
  [0, 20_000],
  [7_000, 13_000],
  [60_000, 5_000],
  [-5_000, 20_000],
])('A submission that a dead process sent %d ms ago is listed in %d ms, if it arrived', (age, expected) => {
  expect(settlingTimeAfterDeath(age)).toBe(expected);
});

describe('A list', () => {
  const shows = (...ids: string[]) => new Set(ids);

  test('that shows all jobs of ours does not lag', () => {
    const lag = new Lag();
    lag.accepted('a', 100);
    lag.sawList(shows('a'), 9_000, ['a']);
    expect([lag.listedIn(5_000), lag.isListTorn]).toEqual([5_000, false]);
  });

  test("that lacks a job of ours lags by at least the job's age, and lost answers are awaited twice as long", () => {
    const lag = new Lag();
    lag.accepted('a', 100);
    lag.sawList(shows(), 50, []); // requested before
    expect(lag.listedIn(5_000)).toBe(5_000);
    lag.sawList(shows(), 3_100, ['a']);
    expect([lag.listedIn(5_000), lag.isListTorn]).toEqual([11_000, false]);
  });

  test('that finally shows a missing job reveals how far lists lag', () => {
    const lag = new Lag();
    lag.accepted('a', 100);
    lag.sawList(shows(), 3_100, []);
    lag.sawList(shows('a'), 20_000, []);
    lag.sawList(shows(), 30_000, []);
    expect(lag.listedIn(5_000)).toBe(11_000);
  });

  test('need not show a job forever, nor one that the service has forgotten', () => {
    const lag = new Lag();
    lag.accepted('a', 0);
    lag.accepted('b', 0);
    lag.forget('a');
    lag.sawList(shows('b'), 10_000, []);
    lag.accepted('c', 0);
    lag.sawList(shows(), 60_000, []);
    expect(lag.listedIn(5_000)).toBe(125_000);
    lag.sawList(shows(), 60_001, []);
    expect(lag.listedIn(5_000)).toBe(5_000);
  });

  test('that lacks a job of an earlier one counts as incomplete until a list shows all again', () => {
    const lag = new Lag();
    lag.accepted('a', 0);
    const torn = [shows(), shows('a'), shows(), shows('a')].map((ids, n) => {
      lag.sawList(ids, n * 1_000, ['a']);
      return lag.isListTorn;
    });
    expect(torn).toEqual([false, false, true, false]);
  });
});

describe('A job that the service does not find', () => {
  test('is forgotten after ten seconds, and four answers', () => {
    const lag = new Lag();
    expect(lag.isForgotten({ since: 0, at: 9_999, times: 9 })).toBe(false);
    expect(lag.isForgotten({ since: 0, at: 99_000, times: 3 })).toBe(false);
    expect(lag.isForgotten({ since: 0, at: 10_000, times: 4 })).toBe(true);
  });

  test('is awaited longer where another one came back', () => {
    const lag = new Lag();
    const job = { absent: { since: 1_000, at: 7_000, times: 7 } };
    lag.found(job);
    lag.found({ absent: { since: 1_000, at: 2_000, times: 1 } });
    expect(job.absent).toBeUndefined();
    expect(lag.isForgotten({ since: 0, at: 21_999, times: 9 })).toBe(false);
    expect(lag.isForgotten({ since: 0, at: 22_000, times: 9 })).toBe(true);
  });
});
