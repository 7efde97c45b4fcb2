import { expect, test } from 'vitest';
import { MAX_STORE_BYTES, StoreCeiling } from '../../../../src/server/service/limits.ts';

test.each([
  [0, false],
  [99, false],
  [100, true],
  [101, true],
])('With %d of 100 bytes in use the store is full: %s', (used, isReached) => {
  const ceiling = new StoreCeiling(() => used, 100);
  expect(ceiling.isReached).toBe(isReached);
  if (isReached) expect(() => ceiling.verifyRoom()).toThrow(expect.objectContaining({ code: 'store_full' }));
  else ceiling.verifyRoom();
});

test.each([
  [100, { used: 7, most: 100 }],
  [Number.POSITIVE_INFINITY, { used: 7, most: undefined }],
])('With at most %d bytes, its use is reported as %o', (maxBytes, use) => {
  expect(new StoreCeiling(() => 7, maxBytes).use).toEqual(use);
});

test('A store may have 10 GiB', () => expect(MAX_STORE_BYTES).toBe(10_737_418_240));
