import { expect, test } from 'vitest';
import { ServiceError } from '../../src/client/errors.ts';

function messageOf(...messages: string[]): string {
  const errors = messages.map((message) => ({ code: 'invalid_api_key', message }));
  const rest = { links: {}, rateLimit: undefined, retryAfter: undefined };
  return new ServiceError({ method: 'GET', path: '/v2/me', status: 403, errors, ...rest }).message;
}

test('A refusal tells all that the service says, each sentence once', () => {
  expect(messageOf('Invalid API Key')).toBe('Invalid API Key');
  expect(messageOf('Invalid API Key', 'Invalid API Key')).toBe('Invalid API Key');
  expect(messageOf('a', 'b', 'b', 'c')).toBe('a (b; c)');
  expect(messageOf()).toBe('The service answered 403.');
});
