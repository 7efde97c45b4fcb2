import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { inverse, primesOf, product, rsaKeyOf } from '../../src/textures/rsa-encoding.ts';
import { isSignedBy, signValue } from '../../src/textures/signature.ts';
import { openSigningKey } from '../../src/textures/signing-key.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });

function modulusOf(key: KeyObject): bigint {
  const { n = '' } = createPublicKey(key).export({ format: 'jwk' });
  return BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
}

describe('primesOf', () => {
  test('gives both primes of a usual key', () => {
    const primes = primesOf(privateKey);
    expect(primes).toHaveLength(2);
    expect(product(primes)).toBe(modulusOf(privateKey));
  });

  test('gives all four primes of a key that is made here', async () => {
    const { privateKey: own } = await openSigningKey(inject('signingKeyPath'));
    const primes = primesOf(own);
    expect(primes.map((prime) => prime.toString(2).length)).toEqual([1024, 1024, 1024, 1024]);
    expect(product(primes)).toBe(modulusOf(own));
  });

  test('gives none for a public key or one of another kind', () => {
    expect(primesOf(publicKey)).toEqual([]);
    expect(primesOf(generateKeyPairSync('ed25519').privateKey)).toEqual([]);
  });
});

test('A key of the same primes and exponent is the same key', async () => {
  const again = rsaKeyOf(primesOf(privateKey), 3n);
  expect(again.equals(privateKey)).toBe(true);
  expect(isSignedBy(publicKey, 'value', await signValue('value', again))).toBe(true);
});

test('A number times its inverse leaves 1', () => {
  for (const number of [1n, 2n, 60n, 96n]) expect((number * inverse(number, 97n)) % 97n).toBe(1n);
});
