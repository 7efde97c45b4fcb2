import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { signingKeyOf } from '../../../src/batch/signers.ts';
import { NetworkError } from '../../../src/client/errors.ts';
import type { SkinClient } from '../../../src/client/skin-client.ts';
import { fingerprintOf } from '../../../src/textures/signing-key.ts';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });

async function keyOf(document: () => object) {
  const client = { baseUrl: 'https://skins.example', keyDocument: async () => document() };
  return await signingKeyOf(client as unknown as SkinClient, {});
}

test("A service's published key is returned with its fingerprint", async () => {
  const signaturePublickey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const found = await keyOf(() => ({ signaturePublickey }));
  expect(found?.fingerprint).toBe(fingerprintOf(publicKey));
  expect(found?.publicKey.equals(publicKey)).toBe(true);
});

test.each([
  ['publishes none', () => ({})],
  ['publishes something else', () => ({ signaturePublickey: 'no key' })],
  [
    'does not answer',
    () => {
      throw new NetworkError('It does not answer.', { cause: undefined, mayHaveArrived: false });
    },
  ],
])('A service that %s has no known key', async (_, document) => {
  expect(await keyOf(document)).toBeUndefined();
});

test('A bug is not mistaken for a service without a key', async () => {
  const bug = new TypeError('x is undefined');
  const failing = keyOf(() => {
    throw bug;
  });
  await expect(failing).rejects.toBe(bug);
});
