import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberSet } from '../../src/base/number-set.ts';

test('A set of numbers has exactly the numbers added, however many', () => {
  const numbers = fc.oneof(
    fc.maxSafeNat(),
    fc.nat(50),
    fc.nat(2000).map((n) => n * 2 ** 40),
  );
  const property = fc.property(fc.array(numbers, { maxLength: 5_000, size: 'max' }), (added) => {
    const [set, known] = [new NumberSet(), new Set<number>()];
    for (const number of added) {
      expect(set.has(number)).toBe(known.has(number));
      expect(set.add(number)).toBe(!known.has(number));
      known.add(number);
    }
    for (const number of known) expect(set.has(number)).toBe(true);
    for (let number = 0; number < 100; number++) expect(set.has(number)).toBe(known.has(number));
  });
  fc.assert(property, { numRuns: 20, seed: 20_261_123 });
});

test('A set of numbers has the least and the greatest', () => {
  const set = new NumberSet();
  expect([0, Number.MAX_SAFE_INTEGER].map((number) => set.has(number))).toEqual([false, false]);
  expect([0, Number.MAX_SAFE_INTEGER].map((number) => set.add(number))).toEqual([true, true]);
  expect([0, Number.MAX_SAFE_INTEGER].map((number) => set.has(number))).toEqual([true, true]);
});
