import { describe, expect, test } from 'vitest';
import { classifyFailure, didNotArrive, type Failure, JobFailedError } from '../../../src/client/errors.ts';
import { noAnswer, page, refusal } from '../../support/client/failures.ts';

const timeout = new DOMException('no answer', 'TimeoutError');
const stalled = Object.assign(new Error('stalled'), { code: 'UND_ERR_BODY_TIMEOUT' });
const passing = { isTemporary: true, mayHaveArrived: false, isLate: false };
const lost = { isTemporary: true, mayHaveArrived: true, isLate: false };
const lasting = { isTemporary: false, mayHaveArrived: false, isLate: false };

describe('A failed call', () => {
  test.each<[string, unknown, Partial<Failure>]>([
    ['that was never sent', noAnswer(false), { ...passing, kind: 'unreachable', status: undefined }],
    ['whose connection broke', noAnswer(true), { ...lost, kind: 'unreachable' }],
    ['that timed out', noAnswer(true, timeout), { ...lost, kind: 'unreachable', isLate: true }],
    ['whose answer stalled', noAnswer(true, stalled), { ...lost, kind: 'unreachable', isLate: true }],
    ['with half an answer', page(202), { ...lost, kind: 'unreadable', status: 202 }],
    ['with a redirect for now', page(302), { ...passing, kind: 'unreadable' }],
    ['with a redirect for good', page(301), { ...lasting, kind: 'unreadable' }],
    ["with a proxy's wish for a password", page(401), { ...lasting, kind: 'key_refused' }],
    ["with a proxy's check of the caller", page(403), { ...passing, kind: 'challenged' }],
    ['with a page for another program', page(404), { ...lasting, kind: 'unreadable' }],
    ["with a proxy's limit", page(429, 2_000), { ...passing, kind: 'too_fast', retryAfter: 2_000 }],
    ["with a proxy's page", page(502, 3_000), { ...lost, kind: 'server_error', retryAfter: 3_000 }],
    ["with a closed proxy's page", page(503), { ...lost, kind: 'unavailable' }],
    ["with a proxy's time-out", page(504), { ...lost, kind: 'server_error', isLate: true }],
    ['with invalid content', refusal(400, 'invalid_image'), { ...lasting, kind: 'invalid', status: 400 }],
    ['with too much content', refusal(413, 'too_large'), { ...lasting, kind: 'invalid' }],
    ['with content of another type', refusal(415, 'type'), { ...lasting, kind: 'invalid' }],
    ['with content that makes no sense', refusal(422, 'nonsense'), { ...lasting, kind: 'invalid' }],
    ['without a key', refusal(401, 'unauthorized'), { ...lasting, kind: 'key_refused' }],
    ['with a bad key', refusal(403, 'invalid_api_key'), { ...lasting, kind: 'key_refused' }],
    ['with a banned picture', refusal(403, 'invalid_image'), { ...lasting, kind: 'invalid' }],
    ['for a reason of its own', refusal(403, 'a_reason'), { ...lasting, kind: 'refused' }],
    ['without a reason', refusal(403, 'http_403'), { ...lasting, kind: 'key_refused' }],
    ['with a picture it cannot fetch', refusal(500, 'invalid_image'), { ...lasting, kind: 'invalid' }],
    ['beyond the plan', refusal(403, 'insufficient_grants'), { ...lasting, kind: 'not_allowed' }],
    ['for what is not there', refusal(404, 'job_not_found'), { ...lasting, kind: 'not_found' }],
    ['for what cannot be done', refusal(405, 'no'), { ...lasting, kind: 'refused' }],
    ['with a full queue', refusal(429, 'job_limit', 9_000), { ...passing, kind: 'full_queue' }],
    ['with too many at once', refusal(429, 'concurrency_limit'), { ...passing, kind: 'full_queue' }],
    ['at a limit', refusal(429, 'rate_limit', 2_000), { ...passing, kind: 'too_fast', retryAfter: 2_000 }],
    ["with the service's own bug", refusal(500, 'internal_error'), { ...lost, kind: 'server_error' }],
    ['to a closed service', refusal(503, 'service_unavailable'), { ...passing, kind: 'unavailable' }],
    ['to a closed proxy that speaks JSON', refusal(503, ''), { ...lost, kind: 'unavailable' }],
  ])('%s', (_, error, expected) => {
    expect(classifyFailure(error)).toMatchObject(expected);
  });

  test.each([
    ['a bug', new TypeError('x is not a function')],
    ['a failed job', new JobFailedError('j1', [])],
    ['what is no error', 'nothing'],
  ])('is not %s, because nothing is certain about it', (_, error) => {
    expect(classifyFailure(error)).toBeUndefined();
    expect(didNotArrive(error)).toBe(false);
  });

  test('that was a submission left nothing behind if it certainly did not arrive', () => {
    expect([noAnswer(false), noAnswer(true), page(502), refusal(429, 'x')].map(didNotArrive)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
