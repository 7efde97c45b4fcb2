import { describe, expect, test } from 'vitest';
import {
  JobFailedError,
  NetworkError,
  ServiceError,
  UnreadableAnswerError,
} from '../../../src/client/errors.ts';
import { type Attempt, DEFAULT_RETRY, pauseBefore, retryPolicy } from '../../../src/client/rate-limits.ts';
import { makeRateLimit } from '../../support/client/answers.ts';
import { START } from '../../support/client/fake-clock.ts';

interface ServiceParts {
  readonly code?: string;
  readonly retryAfter?: number;
  readonly next?: { relative?: number; absolute?: number };
}

function makeServiceError(status: number, { code = '', retryAfter, next }: ServiceParts = {}): ServiceError {
  return new ServiceError({
    method: 'GET',
    path: '/v2/me',
    status,
    errors: [{ code, message: 'No.' }],
    links: {},
    rateLimit: next && makeRateLimit(next),
    retryAfter,
  });
}

const lost = new NetworkError('cut', { cause: undefined, mayHaveArrived: true });
const neverSent = new NetworkError('refused', { cause: undefined, mayHaveArrived: false });
const uncertain = new NetworkError('not accepted', {
  cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  mayHaveArrived: false,
});
const unreadable = (status: number) => new UnreadableAnswerError('HTML', { status });

function pause(error: unknown, parts: Partial<Attempt> = {}): number | undefined {
  const attempt = { number: 1, isRepeatable: true, now: START, random: 1, ...parts };
  return pauseBefore({ ...attempt, error }, DEFAULT_RETRY);
}

type Row = [what: string, error: unknown, ms: number | undefined];

describe('pauseBefore, for a request that may be repeated', () => {
  const rows: Row[] = [
    ['a 500', makeServiceError(500), 250],
    ['a 502 page of HTML', unreadable(502), 250],
    ['a 429 page of HTML', unreadable(429), 400],
    ['a cut connection', lost, 250],
    ['a refused connection', neverSent, 250],
    ['a certificate that is not accepted', uncertain, undefined],
    ['a 503 with a wait', makeServiceError(503, { retryAfter: 7_000 }), 7_000],
    ['a 503 with a wait of nothing', makeServiceError(503, { retryAfter: 0 }), 250],
    ['a 400', makeServiceError(400), undefined],
    ['a 400 with a wait', makeServiceError(400, { retryAfter: 1_000 }), undefined],
    ['a 401', makeServiceError(401), undefined],
    ['a 403', makeServiceError(403), undefined],
    ['a 404', makeServiceError(404), undefined],
    ['an answer that cannot be read', unreadable(200), undefined],
    ['a failed job', new JobFailedError('a', []), undefined],
    ['an error of ours', new TypeError('bug'), undefined],
    ['what is no error', 'oops', undefined],
    ['nothing', undefined, undefined],
  ];
  test.each(rows)('answers to %s as the table says', (_, error, ms) => {
    expect(pause(error)).toBe(ms);
  });

  test('doubles from pause to pause, up to the longest', () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 50];
    expect(numbers.map((number) => pause(lost, { number }))).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000,
    ]);
  });

  test('spreads pauses of its own between half and all', () => {
    expect([0, 0.5, 1].map((random) => pause(lost, { random }))).toEqual([125, 188, 250]);
  });
});

describe('pauseBefore, for a submission', () => {
  const rows: Row[] = [
    ['a lost answer', lost, undefined],
    ['a 500', makeServiceError(500), undefined],
    ['a 503 with a wait', makeServiceError(503, { retryAfter: 1_000 }), undefined],
    ['a 502 page of HTML', unreadable(502), undefined],
    ['a 429 page of HTML', unreadable(429), 400],
    ['a timed out generation', makeServiceError(500, { code: 'generator_timeout' }), undefined],
    ['a connection that was never made', neverSent, 250],
    ['a full queue', makeServiceError(429, { code: 'job_limit' }), 400],
    ['too many requests', makeServiceError(429, { code: 'rate_limit', retryAfter: 3_000 }), 3_000],
    ['a 400', makeServiceError(400), undefined],
  ];
  test.each(rows)('repeats after %s only when it was certainly not accepted', (_, error, ms) => {
    expect(pause(error, { isRepeatable: false })).toBe(ms);
  });
});

describe('pauseBefore, after a 429', () => {
  const rows: Row[] = [
    ['Retry-After', makeServiceError(429, { retryAfter: 3_000 }), 3_000],
    [
      'Retry-After before the body',
      makeServiceError(429, { retryAfter: 3_000, next: { relative: 9_000 } }),
      3_000,
    ],
    [
      'the body, where Retry-After is 0',
      makeServiceError(429, { retryAfter: 0, next: { relative: 900 } }),
      900,
    ],
    ['the relative time', makeServiceError(429, { next: { relative: 800, absolute: START + 5_000 } }), 800],
    ['the absolute time', makeServiceError(429, { next: { absolute: START + 5_000 } }), 5_000],
    ['a pause of its own, where the time is past', makeServiceError(429, { next: { absolute: 1 } }), 400],
    ['a pause of its own, where nothing is said', makeServiceError(429), 400],
    ['a pause of its own, where "now" is said', makeServiceError(429, { retryAfter: 0 }), 400],
    [
      'a pause of its own, where the queue is full',
      makeServiceError(429, { code: 'job_limit', next: { relative: 60_000 } }),
      400,
    ],
    [
      'a pause of its own, where too much runs at once',
      makeServiceError(429, { code: 'concurrency_limit', next: { relative: 60_000 } }),
      400,
    ],
  ];
  test.each(rows)('follows %s', (_, error, ms) => {
    expect(pause(error)).toBe(ms);
    expect(pause(error, { isRepeatable: false })).toBe(ms);
  });

  test('uses the given wait without spreading it', () => {
    const given = makeServiceError(429, { retryAfter: 3_000 });
    const told = makeServiceError(429, { next: { relative: 800 } });
    const busy = makeServiceError(503, { retryAfter: 2_000 });
    expect([given, told, busy].map((error) => pause(error, { random: 0 }))).toEqual([3_000, 800, 2_000]);
  });

  test('uses the given wait however many attempts were made', () => {
    expect(pause(makeServiceError(429, { retryAfter: 60_000 }), { number: 9 })).toBe(60_000);
  });

  test('looks again soon while the queue is full, at the latest after 3 s', () => {
    const full = makeServiceError(429, { code: 'job_limit' });
    const numbers = [1, 2, 3, 4, 5, 6, 20];
    expect(numbers.map((number) => pause(full, { number }))).toEqual([
      400, 600, 900, 1_350, 2_025, 3_000, 3_000,
    ]);
    expect(pause(full, { random: 0 })).toBe(200);
  });
});

describe('a retry policy', () => {
  test('is the default with the given values, of which the later take precedence', () => {
    expect(retryPolicy(undefined, {})).toEqual(DEFAULT_RETRY);
    const policy = retryPolicy({ budget: 1, patience: 2 }, { budget: 3 });
    expect(policy).toEqual({ ...DEFAULT_RETRY, budget: 3, patience: 2 });
  });

  test('keeps the default, or the earlier value, where a value is undefined', () => {
    expect(retryPolicy({ budget: undefined, firstPause: undefined })).toEqual(DEFAULT_RETRY);
    expect(retryPolicy({ budget: 1 }, { budget: undefined })).toEqual({ ...DEFAULT_RETRY, budget: 1 });
  });
});
