import { expect, test } from 'vitest';
import { isWhole, refill, untilAffordable } from '../../../src/server/fairness.ts';

test('A spent allowance comes back over a minute, and never exceeds its maximum', () => {
  const allowance = { left: 10, at: 5_000 };
  refill(allowance, 60, 8_000);
  expect(allowance).toEqual({ left: 13, at: 8_000 });
  refill(allowance, 60, 3_608_000);
  expect(allowance).toEqual({ left: 60, at: 3_608_000 });
});

test.each([
  [1, 3, 2_000],
  [0.75, 1, 250],
  [1, 1, 0],
  [5, 1, 0],
])('With %d left, %d can be spent after %d ms', (left, cost, wait) => {
  expect(untilAffordable({ left, at: 0 }, cost, 60)).toBe(wait);
});

test('An allowance is whole again when nothing is spent for a minute', () => {
  expect(isWhole({ left: 0, at: 1_000 }, 60_999)).toBe(false);
  expect(isWhole({ left: 0, at: 1_000 }, 61_000)).toBe(true);
});
