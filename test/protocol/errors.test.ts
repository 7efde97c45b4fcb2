import { describe, expect, test } from 'vitest';
import { ERRORS, isErrorCode, TEMPORARY_ERRORS } from '../../src/protocol/errors.ts';

/** Written down again from the description of the wire, so that a code cannot change by accident. */
const STATUSES = {
  validation_error: 400,
  invalid_image: 400,
  invalid_image_url: 400,
  invalid_user: 400,
  invalid_file: 400,
  missing_file: 400,
  unknown_variant: 400,
  invalid_cape: 400,
  invalid_request: 400,
  blocked_image: 400,
  no_duplicate: 400,
  unauthorized: 401,
  invalid_api_key: 403,
  insufficient_grants: 403,
  not_found: 404,
  job_not_found: 404,
  skin_not_found: 404,
  set_not_found: 404,
  user_not_found: 404,
  player_not_found: 404,
  set_gone: 410,
  link_gone: 410,
  already_liked: 409,
  invalid_content_type: 415,
  rate_limit: 429,
  job_limit: 429,
  concurrency_limit: 429,
  internal_error: 500,
  unexpected_error: 500,
  generator_timeout: 500,
  skin_change_failed: 500,
  invalid_skin_data: 500,
  job_failed: 500,
  anonymous_limit: 503,
  store_full: 503,
  store_unreachable: 503,
  no_account_available: 503,
  service_unavailable: 503,
};

describe('the table of error codes', () => {
  test('has every code of the wire with its status, and no other', () => {
    const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
    expect(statuses).toEqual(STATUSES);
  });

  test.each(Object.entries(ERRORS))(
    'says %s in a sentence, or in the words that clients look for',
    (_, { message }) => {
      expect(message).toMatch(/^(?:[A-Z].{8,}\.|Invalid API Key)$/);
    },
  );

  test('counts as temporary only failures that the request did not cause', () => {
    const passing = [...TEMPORARY_ERRORS];
    expect(passing.filter((code) => !isErrorCode(code) || ERRORS[code].status < 500)).toEqual([]);
    expect(passing).toEqual(
      expect.arrayContaining(['skin_change_failed', 'generator_timeout', 'no_account_available']),
    );
  });
});

describe('isErrorCode', () => {
  test.each(['job_limit', 'invalid_image'])('knows %s', (code) => {
    expect(isErrorCode(code)).toBe(true);
  });

  test.each(['', 'nonsense', 'JOB_LIMIT', 'toString', '__proto__'])(
    'does not mistake %j for a code',
    (code) => {
      expect(isErrorCode(code)).toBe(false);
    },
  );
});
