import { expect, test } from 'vitest';
import { hintFor } from '../../../../src/cli/doctor/check.ts';
import { readyAnswerSchema } from '../../../../src/protocol/account.ts';

const { reasons, warnings } = readyAnswerSchema.shape;

test.each([...reasons.element.options, ...warnings.element.options])('There is a hint for %s', (code) => {
  expect(hintFor([code], {})).toMatch(/\.$|: \S+$|--[a-z-]+$/);
});

test('The first hint of several causes is given', () => {
  expect(hintFor(['unheard_of', 'store_full', 'stopping'], {})).toContain('--max-store');
  expect(hintFor(['unheard_of'], {})).toBeUndefined();
  expect(hintFor([], {})).toBeUndefined();
});

test('A command in a hint leads to the service that the user typed', () => {
  const naming = { flags: { baseUrl: 'https://skins.example.org' } };
  expect(hintFor(['no_accounts'], naming)).toBe(
    'Link one: skinsmith accounts link --base-url https://skins.example.org',
  );
});
