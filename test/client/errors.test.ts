import { expect, test } from 'vitest';
import { ServiceError } from '../../src/client/errors.ts';
import { failureOf, testClient } from '../support/client/test-client.ts';

function messageOf(...messages: string[]): string {
  const errors = messages.map((message) => ({ code: 'invalid_api_key', message }));
  const rest = { links: {}, rateLimit: undefined, retryAfter: undefined };
  return new ServiceError({ method: 'GET', path: '/v2/me', status: 403, errors, ...rest }).message;
}

test('A refusal contains each sentence of the service once', () => {
  expect(messageOf('Invalid API Key')).toBe('Invalid API Key');
  expect(messageOf('Invalid API Key', 'Invalid API Key')).toBe('Invalid API Key');
  expect(messageOf('a', 'b', 'b', 'c')).toBe('a (b; c)');
  expect(messageOf()).toBe('The service answered 403.');
});

test('A refusal names the field that is invalid, where the service does', async () => {
  const note = { code: 'too_big', message: 'name: too long', path: ['name'] };
  const { client } = await testClient([
    {
      expect: 'GET /v2/me',
      status: 400,
      json: { success: false, errors: [note, { ...note, path: 'name' }] },
    },
  ]);
  const failure = (await failureOf(client.me())) as ServiceError;
  expect(failure.answer.errors).toEqual([note, { ...note, path: undefined }]);
});
