import { describe, expect, test } from 'vitest';
import { classifyFailure } from '../../../../../src/client/errors.ts';
import { failedJob, isAboutRequest } from '../../../../../src/server/generators/upstream/results.ts';
import { page, refusal } from '../../../../support/client/failures.ts';

describe('A job that failed at the upstream service fails here', () => {
  test.each([
    ['invalid_image', 'invalid_image', false],
    ['skin_change_failed', 'skin_change_failed', true],
    ['no_account_available', 'no_account_available', true],
    ['unauthorized', 'job_failed', false],
    ['something_new', 'job_failed', false],
  ])('%s as %s, passing: %s', (code, ours, isPassing) => {
    expect(failedJob([{ code, message: 'Why.' }])).toMatchObject({ code: ours, isPassing, message: 'Why.' });
  });

  test('with words that are short and plain', () => {
    const { message } = failedJob([
      { code: 'job_failed', message: `\u001b[31mred\u202e\n${'x'.repeat(1_000)}` },
    ]);
    expect(message).toMatch(/^ \[31mred x+$/);
    expect(message).toHaveLength(300);
    expect(failedJob([]).message).toBe('The job failed.');
  });
});

describe('Whether a failure is about the request, and fails the job', () => {
  test.each([
    ['a bad picture', refusal(400, 'invalid_image'), true],
    ['more than the plan has', refusal(403, 'insufficient_grants'), true],
    ['a bad key', refusal(403, 'invalid_api_key'), false],
    ['no such service', refusal(404, 'not_found'), false],
    ['a page of a proxy', page(404), false],
    ['too fast', refusal(429, 'rate_limit'), false],
  ])('%s', (_, error, expected) => {
    const failure = classifyFailure(error);
    expect(failure && isAboutRequest(failure)).toBe(expected);
  });
});
