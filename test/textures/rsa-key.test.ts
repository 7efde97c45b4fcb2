import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeRsaKey } from '../../src/textures/rsa-key.ts';
import { isSignedBy, signValue } from '../../src/textures/signature.ts';

/** The version of RSAPrivateKey (RFC 8017, A.1.2) says whether more than two primes follow: 0 or 1. */
function versionOf(key: KeyObject): number | undefined {
  const der = key.export({ type: 'pkcs1', format: 'der' });
  return der[der.indexOf(Buffer.from([0x02, 0x01])) + 2];
}

test.each([
  [2048, 0],
  [4096, 1],
])('A key of %d bits signs, also after it was written to a file', async (bits, version) => {
  const key = await makeRsaKey(bits);
  expect(key.asymmetricKeyDetails).toEqual({ modulusLength: bits, publicExponent: 65_537n });
  expect(versionOf(key)).toBe(version);
  const read = createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' }));
  expect(read.equals(key)).toBe(true);
  const signature = await signValue('value', read);
  expect(Buffer.from(signature, 'base64')).toHaveLength(bits / 8);
  expect(isSignedBy(createPublicKey(key), 'value', signature)).toBe(true);
  expect(isSignedBy(createPublicKey(key), 'another', signature)).toBe(false);
});

test('No two keys have the same modulus', async () => {
  const [one, other] = await Promise.all([makeRsaKey(2048), makeRsaKey(2048)]);
  expect(createPublicKey(one).equals(createPublicKey(other))).toBe(false);
});
