import { expect, test } from 'vitest';
import { pauseText } from '../../../../src/cli/terminal/messages.ts';

test.each([
  ['Skin generation is currently disabled', 'Skin generation is currently disabled. Retrying in 6 s'],
  ['The rate limit is used up.', 'The rate limit is used up. Retrying in 6 s'],
])('A reason in the words of a service, “%s”, is a sentence of its own', (message, start) => {
  expect(pauseText({ message, ms: 6_000, at: 6_000 }, 0).startsWith(start)).toBe(true);
});

test('A reason is cut so that the rest of the message fits beside it', () => {
  const pause = {
    message: 'You have sent too many requests in a given amount of time.',
    ms: 6_000,
    at: 6_000,
  };
  const text = pauseText(pause, 0, 77);
  expect(text).toHaveLength(77);
  expect(text).toMatch(/^You have sent .*… Retrying in 6 s, at \d\d:\d\d; Ctrl-C is safe\.$/);
});
