import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedBy, signValue } from '../../../src/textures/signature.ts';
import { makeQuickKey } from './quick-key.ts';

test('A quick key is as long as the game’s, and survives its file', async () => {
  const key = makeQuickKey();
  const details = { modulusLength: 4096, publicExponent: 65_537n };
  expect(key.asymmetricKeyDetails).toEqual(details);
  const read = createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' }));
  expect(createPublicKey(read).equals(createPublicKey(key))).toBe(true);
  const signature = await signValue('value', read);
  expect(signature).toHaveLength(684);
  expect(isSignedBy(createPublicKey(key), 'value', signature)).toBe(true);
  expect(isSignedBy(createPublicKey(key), 'another', signature)).toBe(false);
});
