import { describe, expect, test } from 'vitest';
import { NetworkError, ServiceError, UnreadableAnswerError } from '../../../../src/client/errors.ts';
import { failureOf, faultOf } from '../../../../src/server/generators/upstream/faults.ts';

function refusal(status: number, code: string, retryAfter?: number): ServiceError {
  const errors = [{ code, message: 'No.' }];
  return new ServiceError({
    method: 'POST',
    path: '/',
    status,
    errors,
    links: {},
    rateLimit: undefined,
    retryAfter,
  });
}

const page = (status: number, retryAfter?: number) =>
  new UnreadableAnswerError('A page.', { status, retryAfter });
const network = (mayHaveArrived: boolean) => new NetworkError('Cut.', { cause: undefined, mayHaveArrived });
const arrived = { kind: 'trouble', mayHaveArrived: true };
const not = { kind: 'trouble', mayHaveArrived: false };

describe('An answer of the service above means', () => {
  test.each<[string, unknown, object | undefined]>([
    ['no connection', network(false), not],
    ['a cut one', network(true), arrived],
    ['half an answer', page(202), arrived],
    ['a page of a proxy that found nobody', page(502, 3_000), { ...arrived, wait: 3_000 }],
    ['a page of a proxy that lets nobody in', page(403), not],
    ['a proxy that has had too much', page(429, 2_000), { kind: 'too_fast', wait: 2_000 }],
    ['its own bug', refusal(500, 'internal_error'), arrived],
    ['it is closed', refusal(503, 'service_unavailable', 5_000), { ...not, isClosed: true, wait: 5_000 }],
    ['a proxy that is closed', page(503), { ...arrived, isClosed: false }],
    ['no spot', refusal(429, 'job_limit', 9_000), { kind: 'full' }],
    ['too many at once', refusal(429, 'concurrency_limit'), { kind: 'full' }],
    ['too fast', refusal(429, 'rate_limit', 2_000), { kind: 'too_fast', wait: 2_000 }],
    ['a bad key', refusal(403, 'invalid_api_key'), { kind: 'key_refused' }],
    ['no key', refusal(401, 'unauthorized'), { kind: 'key_refused' }],
    ['more than the plan has', refusal(403, 'insufficient_grants'), { kind: 'refused' }],
    ['a bad picture', refusal(400, 'invalid_image'), { kind: 'refused' }],
    ['no such service', refusal(404, 'not_found'), not],
    ['nothing: it is a bug in here', new TypeError('x is not a function'), undefined],
  ])('%s', (_, error, fault) => {
    if (fault) expect(faultOf(error, 0)).toMatchObject(fault);
    else expect(faultOf(error, 0)).toBeUndefined();
  });
});

describe('A job that failed there fails here', () => {
  test.each([
    ['invalid_image', 'invalid_image', false],
    ['skin_change_failed', 'skin_change_failed', true],
    ['no_account_available', 'no_account_available', true],
    ['unauthorized', 'job_failed', false],
    ['something_new', 'job_failed', false],
  ])('%s as %s, passing: %s', (code, ours, isPassing) => {
    expect(failureOf([{ code, message: 'Why.' }])).toMatchObject({ code: ours, isPassing, message: 'Why.' });
  });

  test('with words that are short and plain', () => {
    const { message } = failureOf([
      { code: 'job_failed', message: `\u001b[31mred\u202e\n${'x'.repeat(1_000)}` },
    ]);
    expect(message).toMatch(/^ \[31mred x+$/);
    expect(message).toHaveLength(300);
    expect(failureOf([]).message).toBe('The job failed.');
  });
});
