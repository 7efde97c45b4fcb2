import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isFreshSignature, keepFreshSignature } from '../../src/textures/fresh-signatures.ts';
import { isSignedBy } from '../../src/textures/signature.ts';

const [own, other] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 1024 }));
/** It would not verify. */
const SIGNATURE = 'c2lnbmF0dXJl';

test('A signature that was made here counts as verified, for its value and key only', () => {
  expect(isSignedBy(own!.publicKey, 'value', SIGNATURE)).toBe(false);
  keepFreshSignature('value', SIGNATURE, own!.privateKey);
  const read = createPublicKey(own!.publicKey.export({ type: 'spki', format: 'pem' }));
  expect(isSignedBy(read, 'value', SIGNATURE)).toBe(true);
  expect(isSignedBy(read, 'another', SIGNATURE)).toBe(false);
  expect(isSignedBy(other!.publicKey, 'value', SIGNATURE)).toBe(false);
  expect(isSignedBy(read, 'value', 'YW5vdGhlcg==')).toBe(false);
});

test('Only the last ones are remembered', () => {
  keepFreshSignature('first', 'first', own!.privateKey);
  for (let index = 0; index < 127; index++) keepFreshSignature('value', `${index}`, own!.privateKey);
  expect(isFreshSignature('first', 'first', own!.publicKey)).toBe(true);
  keepFreshSignature('value', 'one more', own!.privateKey);
  expect(isFreshSignature('first', 'first', own!.publicKey)).toBe(false);
});
