import { createPrivateKey, generatePrimeSync, type KeyObject } from 'node:crypto';

/** OpenSSL takes no more primes for a modulus of this length. */
const PRIMES = 4;
const BITS = 4096;
const EXPONENT = 65_537n;

/**
 * An RSA key of 4,096 bits with four primes instead of two (RFC 8017): it signs in a third of the time, and to those who
 * verify it is like any other.
 */
export function makeQuickKey(): KeyObject {
  return createPrivateKey({ key: encode(choosePrimes()), format: 'der', type: 'pkcs1' });
}

function choosePrimes(): bigint[] {
  for (;;) {
    const primes = Array.from({ length: PRIMES }, () => generatePrimeSync(BITS / PRIMES, { bigint: true }));
    const isLong = product(primes) >> BigInt(BITS - 1) === 1n;
    if (isLong && primes.every((prime) => (prime - 1n) % EXPONENT !== 0n)) return primes;
  }
}

/** RSAPrivateKey of RFC 8017, A.1.2. */
function encode(primes: readonly bigint[]): Buffer {
  const d = inverse(EXPONENT, product(primes.map((prime) => prime - 1n)));
  const exponents = primes.map((prime) => d % (prime - 1n));
  const [p = 0n, q = 0n, ...others] = primes;
  const otherInfos = others.map((prime, index) => {
    const before = product(primes.slice(0, index + 2));
    return sequence([prime, exponents[index + 2]!, inverse(before, prime)].map(integer));
  });
  const numbers = [1n, product(primes), EXPONENT, d, p, q, exponents[0]!, exponents[1]!, inverse(q, p)];
  return sequence([...numbers.map(integer), sequence(otherInfos)]);
}

function product(factors: readonly bigint[]): bigint {
  return factors.reduce((result, factor) => result * factor, 1n);
}

/** Of two numbers without a common factor. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, number % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function sequence(items: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

/** A zero before the digits: a first bit that is set would mean a negative number. */
function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const padded = digits.padStart(digits.length + (digits.length % 2), '0');
  const sign = /^[89a-f]/.test(padded) ? '00' : '';
  return tagged(0x02, Buffer.from(sign + padded, 'hex'));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}
