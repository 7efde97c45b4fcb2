import { describe, expect, test } from 'vitest';
import {
  didNotArrive,
  JobFailedError,
  NetworkError,
  ServiceError,
  UnreadableAnswerError,
} from '../../src/client/errors.ts';
import {
  isRefusedForNow,
  isTransient,
  lossPause,
  mayRetryRead,
  Outage,
  ServiceLostError,
  waitReason,
} from '../../src/dispatch/outage.ts';
import { endsBatch, ProofError } from '../../src/dispatch/proof.ts';
import { fakeClock } from '../support/client/fake-clock.ts';

const MINUTE = 60_000;
const signal = new AbortController().signal;

const noAnswer = (mayHaveArrived = true) =>
  new NetworkError('No answer came.', { cause: undefined, mayHaveArrived });

function answer(status: number, code = 'a_code', retryAfter?: number): ServiceError {
  const errors = [{ code, message: 'No.' }];
  return new ServiceError({
    method: 'GET',
    path: '/v2/queue',
    status,
    errors,
    links: {},
    rateLimit: undefined,
    retryAfter,
  });
}

function page(status: number, retryAfter?: number): UnreadableAnswerError {
  return new UnreadableAnswerError('That is no answer.', { status, retryAfter });
}

function makeOutage({
  random = 1,
  firstContact = 20_000,
  lasts = 15 * MINUTE,
  contact = { hasAnswered: false },
} = {}) {
  const clock = fakeClock();
  const told: [message: string, ms: number][] = [];
  const ends: number[] = [];
  const reasons: string[] = [];
  const outage = new Outage({
    clock,
    random: () => random,
    patience: { firstContact, outage: lasts },
    contact,
    onPause: (message, ms, reason) => {
      told.push([message, ms]);
      reasons.push(reason);
    },
    onPassed: () => void ends.push(clock.monotonic()),
  });
  return { outage, clock, told, reasons, ends };
}

async function pauseOften(outage: Outage, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await outage.pause(noAnswer(), signal);
}

describe('Trouble', () => {
  test.each([8_000 * 365 * 24 * 60 * MINUTE, Number.POSITIVE_INFINITY])(
    'makes a pause of two hours at most, however long the service asks for (%d)',
    (retryAfter) => {
      const { outage } = makeOutage({ lasts: Number.POSITIVE_INFINITY });
      expect(outage.failed(answer(503, 'service_unavailable', retryAfter))).toBe(120 * MINUTE);
      expect(outage.openAt).toBe(120 * MINUTE);
    },
  );

  test.each([
    [1, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]],
    [0, [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]],
  ])(
    'makes longer and longer pauses up to 10 s, randomly up to half shorter (%d)',
    async (random, pauses) => {
      const { outage, clock, told } = makeOutage({ random, firstContact: MINUTE });
      await pauseOften(outage, pauses.length);
      expect(clock.sleeps).toEqual(pauses);
      expect(told).toEqual(pauses.map((ms) => ['No answer came.', ms]));
    },
  );

  test('is over with the first valid answer, and with no other', async () => {
    const { outage, ends } = makeOutage();
    outage.passed();
    expect(ends).toHaveLength(0);
    await pauseOften(outage, 2);
    outage.passed();
    outage.passed();
    expect(ends).toHaveLength(1);
  });

  test('is reported in the words of its error, unless game accounts are resting', () => {
    const error = answer(503, 'internal_error');
    expect(waitReason(error)).toBe(error.message);
    expect(waitReason(answer(503, 'no_account_available'))).toMatch(/accounts are resting/);
  });

  test('starts again after a sensible answer', async () => {
    const { outage, clock } = makeOutage();
    await pauseOften(outage, 5);
    outage.passed();
    await pauseOften(outage, 1);
    expect(clock.sleeps.at(-1)).toBe(100);
  });

  test.each([
    ['the service', answer(503, 'no_account_available', 7_000)],
    ['a proxy', page(502, 7_000)],
  ])('waits for as long as %s asks', async (_, error) => {
    const { outage, clock } = makeOutage();
    await outage.pause(error, signal);
    expect(clock.sleeps).toEqual([7_000]);
  });

  test('waits longer than requested if it has failed often', async () => {
    const { outage, clock } = makeOutage({ firstContact: MINUTE });
    await pauseOften(outage, 8);
    await outage.pause(answer(503, 'down', 1_000), signal);
    expect(clock.sleeps.at(-1)).toBe(10_000);
  });

  test('with a certificate that was never accepted ends the wait at once, unless the first contact is waited for forever', async () => {
    const cause = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    const error = new NetworkError('The certificate is not accepted.', { cause, mayHaveArrived: false });
    expect(() => makeOutage().outage.failed(error)).toThrow(ServiceLostError);
    expect(makeOutage({ firstContact: Number.POSITIVE_INFINITY }).outage.failed(error)).toBe(100);
    const { outage } = makeOutage();
    outage.passed();
    expect(outage.failed(error)).toBe(100);
  });

  test('with a service that never answered ends when the patience is over', async () => {
    const { outage, clock } = makeOutage({ firstContact: 20_000 });
    await expect(pauseOften(outage, 1_000)).rejects.toThrow(ServiceLostError);
    const error = noAnswer();
    await expect(outage.pause(error, signal)).rejects.toMatchObject({
      cause: error,
      message: error.message,
    });
    expect(clock.monotonic()).toBeLessThanOrEqual(20_000);
    expect(clock.monotonic() + 10_000).toBeGreaterThan(20_000);
  });

  test('with a service that has answered is tolerated for longer', async () => {
    const { outage, clock } = makeOutage({ firstContact: 1_000, lasts: 15 * MINUTE });
    outage.passed();
    await expect(pauseOften(outage, 1_000)).rejects.toThrow(ServiceLostError);
    expect(clock.monotonic()).toBeLessThanOrEqual(15 * MINUTE);
    expect(clock.monotonic() + 10_000).toBeGreaterThan(15 * MINUTE);
  });

  test('is counted from its own beginning, not from the last one', async () => {
    const { outage, clock } = makeOutage({ firstContact: 1_000, lasts: 1_000 });
    await pauseOften(outage, 2);
    outage.passed();
    await clock.sleep(10 * MINUTE);
    await pauseOften(outage, 3);
    expect(clock.sleeps.slice(-3)).toEqual([100, 200, 400]);
  });

  test('lets requests through after its pause, and at once when it is over', async () => {
    const { outage, clock } = makeOutage();
    expect([outage.openAt, outage.since]).toEqual([Number.NEGATIVE_INFINITY, undefined]);
    await clock.sleep(500);
    outage.failed(noAnswer());
    expect([outage.openAt, outage.since]).toEqual([600, 500]);
    outage.passed();
    expect([outage.openAt, outage.since]).toEqual([Number.NEGATIVE_INFINITY, undefined]);
  });

  test('counts again after a success, however soon', async () => {
    const { outage, clock } = makeOutage();
    await clock.sleep(500);
    outage.failed(noAnswer());
    outage.passed();
    expect([outage.failed(noAnswer()), outage.isOn, outage.openAt]).toEqual([100, true, 600]);
  });

  test('with a service that answers, if only with errors, is tolerated for longer', async () => {
    const { outage, clock } = makeOutage({ firstContact: 1_000 });
    for (let n = 0; n < 6; n++) await outage.pause(answer(500), signal);
    expect(clock.monotonic()).toBeGreaterThan(1_000);
  });

  test('with a service that says how long its accounts rest is tolerated for that time', async () => {
    const { outage, clock } = makeOutage();
    await outage.pause(answer(503, 'no_account_available', 120 * MINUTE), signal);
    await outage.pause(noAnswer(), signal);
    expect(clock.sleeps).toEqual([120 * MINUTE, 200]);
  });

  test.each([
    ['another reason', page(502, 120 * MINUTE)],
    ['no time', answer(503, 'no_account_available')],
  ])('with a service that stays away, for %s, ends the wait', async (_, error) => {
    const { outage } = makeOutage();
    const often = async () => {
      for (let n = 0; n < 1_000; n++) await outage.pause(error, signal);
    };
    await expect(often()).rejects.toThrow(ServiceLostError);
  });

  test('counts once when several requests fail at the same time', async () => {
    const { outage, clock } = makeOutage({ firstContact: 1_000 });
    await Promise.all([1, 2, 3].map(() => outage.pause(noAnswer(), signal)));
    expect(clock.sleeps).toEqual([100, 200, 400]);
  });

  test('is not prolonged by requests that fail meanwhile', async () => {
    const { outage, clock } = makeOutage();
    const waits = [outage.failed(noAnswer())];
    await clock.sleep(60);
    waits.push(outage.failed(noAnswer()));
    await clock.sleep(40);
    waits.push(outage.failed(noAnswer()));
    expect(waits).toEqual([100, 40, 200]);
  });

  test('does not outlast the batch', async () => {
    const { outage } = makeOutage();
    await expect(outage.pause(noAnswer(), AbortSignal.abort())).rejects.toThrow('aborted');
  });
});

describe('Temporary refusals', () => {
  test.each([
    [answer(429, 'rate_limit', 2_500), 2_500],
    [answer(429, 'rate_limit', 0), 1_000],
    [answer(429, 'rate_limit'), 1_000],
    [page(429, 700), 1_000],
    [answer(429, 'rate_limit', 3_600_000), 60_000],
    [page(429), 1_000],
  ])('(%s) are waited for as long as the service asks, within reason, or else a second', (error, pause) => {
    const { outage, reasons } = makeOutage();
    expect([outage.failed(error), reasons]).toEqual([pause, ['limit']]);
  });

  test('without times are repeated less and less often, and never end the batch', async () => {
    const { outage, clock } = makeOutage();
    for (let n = 0; n < 200; n++) await outage.pause(answer(429, 'rate_limit'), signal);
    expect(clock.sleeps.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(clock.monotonic()).toBeGreaterThan(15 * MINUTE);
  });
});

describe('Trouble of one kind of request', () => {
  test('is not ended by an answer to another kind, but then the service has answered', async () => {
    const contact = { hasAnswered: false };
    const [one, other] = [makeOutage({ firstContact: 1_000, contact }), makeOutage({ contact })];
    await pauseOften(one.outage, 3);
    other.outage.passed();
    await pauseOften(one.outage, 3);
    expect(one.clock.sleeps).toEqual([100, 200, 400, 800, 1_600, 3_200]);
  });

  test('does not count the time in which the machine slept', async () => {
    const { outage, clock } = makeOutage({ firstContact: 1_000 });
    await pauseOften(outage, 2);
    await clock.sleep(60_000);
    expect(outage.failed(noAnswer())).toBe(400);
  });
});

describe('A failed request', () => {
  /** [may pass, was not taken, is refused for now, ends the batch] */
  const failures: [what: string, error: unknown, verdict: boolean[]][] = [
    ['a lost connection', noAnswer(true), [true, false, false, false]],
    ['a connection that was refused', noAnswer(false), [true, true, false, false]],
    ['an error of the service', answer(500), [true, false, false, false]],
    ['a service that takes nothing now', answer(503, 'service_unavailable'), [true, true, false, false]],
    ['a 503 of whatever stands in front of it', answer(503, 'http_503'), [true, false, false, false]],
    ['a bad request', answer(400), [false, true, false, false]],
    ['a refusal for now', answer(429, 'rate_limit'), [true, true, true, false]],
    ['no key', answer(401), [false, true, false, true]],
    ['a key without the right', answer(403, 'forbidden'), [false, true, false, true]],
    ['a skin beyond the plan', answer(403, 'insufficient_grants'), [false, true, false, false]],
    ['a job that is not there', answer(404), [false, true, false, false]],
    ["a proxy's page", page(502), [true, false, false, false]],
    ["a proxy's page that stands for anything", page(200), [true, false, false, false]],
    ["a proxy's refusal for now", page(429), [true, true, true, false]],
    ["a proxy's check of who is asking", page(403), [true, true, false, false]],
    ['a job that failed', new JobFailedError('j1', []), [false, false, false, false]],
    ["someone else's skin", new ProofError('wrong_skin', 'No.'), [false, false, false, false]],
    ['a service that is lost', new ServiceLostError(noAnswer()), [false, false, false, true]],
    ['a mistake of ours', new TypeError('x is not a function'), [false, false, false, true]],
    ['what is no error', 'nothing', [false, false, false, true]],
  ];
  test.each(failures)('by %s is judged', (_, error, verdict) => {
    expect([isTransient(error), didNotArrive(error), isRefusedForNow(error), endsBatch(error)]).toEqual(
      verdict,
    );
  });
});

test.each([
  ['that may pass, thirty times', noAnswer(), 29],
  ["with a page in place of the service's own answer, four times", page(404), 3],
  ['for good, once', answer(404), 0],
])('A request that fails %s is given up', (_, error, again) => {
  const may = Array.from({ length: 40 }, (__, n) => mayRetryRead(error, n + 1));
  expect(may).toEqual(may.map((___, n) => n < again));
});

describe('A submission whose answer was lost', () => {
  test('is sent again at once the first time, then less and less often, for a quarter of an hour in all', () => {
    const pauses = Array.from({ length: 40 }, (_, n) => lossPause(n + 1, 1));
    expect(pauses.slice(0, 5)).toEqual([0, 400, 800, 1600, 3200]);
    expect(Math.max(...pauses)).toBe(30_000);
    const minutes = pauses.reduce((sum, pause) => sum + pause, 0) / 60_000;
    expect(minutes).toBeGreaterThan(15);
    expect(minutes).toBeLessThan(18);
  });

  test('is sent earlier or later at random, by half at most', () => {
    expect([0, 0.5, 1].map((random) => lossPause(3, random))).toEqual([400, 600, 800]);
  });
});
