import { describe, expect, test } from 'vitest';
import { envelopeSchema, errorAnswerSchema, rateLimitSchema } from '../../src/protocol/envelope.ts';

describe('the envelope of an answer', () => {
  test('may contain only success', () => {
    expect(envelopeSchema.parse({ success: true })).toEqual({ success: true });
  });

  test('carries notes and links as they come', () => {
    const answer = {
      success: true,
      errors: [],
      warnings: [{ code: 'no_api_key', message: 'No key.' }],
      messages: [{ code: 'job_queued', message: 'Queued.' }],
      links: { self: '/v2/queue', job: '/v2/queue/1' },
    };
    expect(envelopeSchema.parse(answer)).toEqual(answer);
  });

  test.each([{}, { success: 'yes' }, { success: true, warnings: 'none' }, null, [], 'OK'])(
    'is not %j',
    (answer) => {
      expect(envelopeSchema.safeParse(answer).success).toBe(false);
    },
  );

  test('is read in parts if a program in front of the service removed some', () => {
    const errors = [{ code: 'rate_limit', message: 'Slow down.' }];
    expect(envelopeSchema.partial().parse({ errors })).toEqual({ errors });
    expect(envelopeSchema.partial().parse({})).toEqual({});
  });
});

describe('the answer that refuses', () => {
  test('says why, naming the field where there is one', () => {
    const answer = {
      success: false,
      errors: [{ code: 'validation_error', message: 'Too long.', path: ['batch', 0, 'name'] }],
    };
    expect(errorAnswerSchema.parse(answer)).toEqual(answer);
  });

  test.each([
    { success: true, errors: [{ code: 'a', message: 'b' }] },
    { success: false },
    { success: false, errors: [] },
  ])('is not %j', (answer) => {
    expect(errorAnswerSchema.safeParse(answer).success).toBe(false);
  });
});

describe('the rate limit', () => {
  const next = { absolute: 1_700_000_000_000, relative: 500 };
  const minute = { limit: 20, remaining: 3, reset: 1_700_000_060 };

  test('is read without the parts that not every service sends', () => {
    const bare = { next, delay: { millis: 100 }, limit: { limit: 20, remaining: 3, minute } };
    expect(rateLimitSchema.parse(bare)).toEqual(bare);
  });

  test('requires the window of a minute, because the fields beside it are deprecated', () => {
    const old = { next, delay: { millis: 100 }, limit: { limit: 20, remaining: 3 } };
    expect(rateLimitSchema.safeParse(old).success).toBe(false);
  });
});
