import { createPublicKey, generateKeyPairSync, privateEncrypt, sign } from 'node:crypto';
import { expect, inject, type Mock, test, vi } from 'vitest';
import { batchSigner, type OpenSsl } from '../../src/textures/batch-signer.ts';
import { primesOf, rsaKeyOf } from '../../src/textures/rsa-encoding.ts';
import { isSignedBy, signValue } from '../../src/textures/signature.ts';
import { openSigningKey } from '../../src/textures/signing-key.ts';

/** OpenSSL, with a count of what it is asked for. */
const counting = () => ({ sign: vi.fn(sign), privateEncrypt: vi.fn(privateEncrypt) }) as unknown as Counting;
type Counting = { [Name in keyof OpenSsl]: OpenSsl[Name] & Mock };

const { privateKey: own } = await openSigningKey(inject('signingKeyPath'));
const usual = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const VALUES = Array.from({ length: 40 }, (_, index) => `value ${index}`);

test('A key with four primes signs by halves, and as it would otherwise', async () => {
  const openSsl = counting();
  const signed = VALUES.map(batchSigner(own, openSsl));
  expect(openSsl.sign).not.toHaveBeenCalled();
  expect(openSsl.privateEncrypt).toHaveBeenCalledTimes(2 * VALUES.length);
  expect(signed).toEqual(await Promise.all(VALUES.map(async (value) => await signValue(value, own))));
});

test.each([
  ['two primes', usual],
  ['three primes', rsaKeyOf([...primesOf(usual), ...primesOf(own).slice(0, 1)], 65_537n)],
])('A key with %s signs as usual', async (_, key) => {
  const openSsl = counting();
  const signed = VALUES.map(batchSigner(key, openSsl));
  expect(openSsl.privateEncrypt).not.toHaveBeenCalled();
  expect(signed).toEqual(await Promise.all(VALUES.map(async (value) => await signValue(value, key))));
});

test('Keys with small primes and another exponent sign by halves, too', () => {
  const pairs = [0, 1].map(
    () => generateKeyPairSync('rsa', { modulusLength: 1024, publicExponent: 17 }).privateKey,
  );
  const key = rsaKeyOf(pairs.flatMap(primesOf), 17n);
  const openSsl = counting();
  const signer = batchSigner(key, openSsl);
  const publicKey = createPublicKey(key);
  expect(VALUES.filter((value) => !isSignedBy(publicKey, value, signer(value)))).toEqual([]);
  expect(openSsl.sign).not.toHaveBeenCalled();
});

test('A signature that a fault has spoilt is made again', async () => {
  const openSsl = counting();
  openSsl.privateEncrypt.mockReturnValueOnce(Buffer.alloc(256, 1));
  expect(batchSigner(own, openSsl)('value')).toBe(await signValue('value', own));
  expect(openSsl.sign).toHaveBeenCalledOnce();
});
