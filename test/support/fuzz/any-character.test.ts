import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from './any-character.ts';

const SEEDED = { numRuns: 2_000, seed: 20_251_121 };

test('Characters are well-formed and come from all planes of Unicode', () => {
  const drawn = fc.sample(anyCharacter, SEEDED);
  expect(drawn.filter((one) => !one.isWellFormed() || [...one].length !== 1)).toEqual([]);
  const planes = new Set(drawn.map((one) => one.codePointAt(0)! >> 16));
  expect([...planes].sort((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, plane) => plane));
});

test.each(['\0', 'a', '\ud7ff', '\ue000', '\u{10000}', '\u{10ffff}'])('The character %j can occur', (one) => {
  expect(anyCharacter.canShrinkWithoutContext(one)).toBe(true);
});

test.each(['', 'ab', '\ud800', '\udfff', 1])('%j is not a character', (one) => {
  expect(anyCharacter.canShrinkWithoutContext(one as string)).toBe(false);
});

test('Strings include words that programs trip over', () => {
  const drawn = fc.sample(fc.string({ unit: anyCharacter }), SEEDED);
  expect(drawn.some((text) => text.includes('__proto__'))).toBe(true);
});
