import { expect } from 'vitest';

// Tests compare bytes at once: one after the other, those of a large picture take a quarter of a second.
expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
      ? Buffer.compare(a, b) === 0
      : undefined,
]);
