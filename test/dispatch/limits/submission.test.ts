import { expect, test } from 'vitest';
import { sharedKey } from '../../../src/dispatch/limits.ts';

test('Other processes distinguish attempts at the same skin', () => {
  const work = { key: 'k', variant: 'auto', visibility: undefined, cape: undefined, losses: 0 } as const;
  expect(sharedKey({ ...work, attempt: 0 })).toBe(sharedKey({ ...work, attempt: 0 }));
  expect(sharedKey({ ...work, attempt: 0 })).not.toBe(sharedKey({ ...work, attempt: 1 }));
});
