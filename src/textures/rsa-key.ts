import { createPrivateKey, createPublicKey, generatePrime, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';

const EXPONENT = 65_537n;

const generatePrimeAsync = promisify<number, { readonly bigint: true }, bigint>(generatePrime);

/**
 * An RSA key. One of 4,096 bits and more has four primes instead of two (RFC 8017), the most that OpenSSL takes for that
 * length: it is made five times as fast, and signs in a third of the time where the processor has no instructions for
 * RSA. To those who verify it is like any other. See docs/decisions/four-primes.md.
 */
export async function makeRsaKey(bits: number): Promise<KeyObject> {
  const primes = await choosePrimes(bits, bits < 4096 ? 2 : 4);
  const key = createPrivateKey({ key: encode(primes), format: 'der', type: 'pkcs1' });
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

/** RSAPrivateKey of RFC 8017, A.1.2. */
function encode(primes: readonly bigint[]): Buffer {
  const d = inverse(EXPONENT, product(primes.map((prime) => prime - 1n)));
  const exponents = primes.map((prime) => d % (prime - 1n));
  const [p = 0n, q = 0n, ...others] = primes;
  const otherInfos = others.map((prime, index) => {
    const before = product(primes.slice(0, index + 2));
    return sequence([prime, exponents[index + 2]!, inverse(before, prime)].map(integer));
  });
  const version = others.length === 0 ? 0n : 1n;
  const numbers = [version, product(primes), EXPONENT, d, p, q, exponents[0]!, exponents[1]!, inverse(q, p)];
  return sequence([...numbers.map(integer), ...(others.length === 0 ? [] : [sequence(otherInfos)])]);
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
  const first = /^[89a-f]/.test(padded) ? '00' : '';
  return tagged(0x02, Buffer.from(first + padded, 'hex'));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}
