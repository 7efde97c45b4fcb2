import { expect, test } from 'vitest';
import { callerFingerprint, shortFingerprint } from '../../../src/base/text.ts';

test('A fingerprint is the first 16 digits of the SHA-256 hash', () => {
  expect(shortFingerprint('abc')).toBe('ba7816bf8f01cfea');
});

test('A caller is identified by its key, which the fingerprint does not reveal; without one it is anonymous', () => {
  expect(callerFingerprint('abc')).toBe('ba7816bf8f01cfea');
  expect(callerFingerprint(undefined)).toBe('anonymous');
});
