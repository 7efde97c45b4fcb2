import { createPublicKey, generatePrime, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { product, rsaKeyOf } from './rsa-encoding.ts';

const EXPONENT = 65_537n;

const generatePrimeAsync = promisify<number, { readonly bigint: true }, bigint>(generatePrime);

/**
 * An RSA key. One of 4,096 bits and more has four primes instead of two (RFC 8017), the most that OpenSSL takes for that
 * length: it is made five times as fast, and signs in a third of the time where the processor has no instructions for
 * RSA. To those who verify it is like any other. See docs/decisions/four-primes.md.
 */
export async function makeRsaKey(bits: number): Promise<KeyObject> {
  const key = rsaKeyOf(await choosePrimes(bits, bits < 4096 ? 2 : 4), EXPONENT);
  verifyKey(key);
  return key;
}

/** Different primes, of equal length, whose product has exactly that many bits. */
async function choosePrimes(bits: number, count: number): Promise<bigint[]> {
  for (;;) {
    const chosen = Array.from({ length: count }, async () => await choosePrime(bits / count));
    const primes = await Promise.all(chosen);
    const isLong = product(primes) >> BigInt(bits - 1) === 1n;
    if (isLong && new Set(primes).size === count) return primes;
  }
}

/** One that the exponent has an inverse for. */
async function choosePrime(bits: number): Promise<bigint> {
  for (;;) {
    const prime = await generatePrimeAsync(bits, { bigint: true });
    if ((prime - 1n) % EXPONENT !== 0n) return prime;
  }
}

/** Everything that is ever signed depends on it. @throws Error for a bug */
function verifyKey(key: KeyObject): void {
  const text = Buffer.from('skinsmith');
  if (!verify('RSA-SHA1', text, createPublicKey(key), sign('RSA-SHA1', text, key))) {
    throw new Error('A new RSA key does not sign.');
  }
}
