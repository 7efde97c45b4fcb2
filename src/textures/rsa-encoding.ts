import { createPrivateKey, type KeyObject } from 'node:crypto';

/** The private key with these primes, two or more, none of which less 1 is a multiple of the public exponent. */
export function rsaKeyOf(primes: readonly bigint[], exponent: bigint): KeyObject {
  return createPrivateKey({ key: encode(primes, exponent), format: 'der', type: 'pkcs1' });
}

/** The primes of a private RSA key; none for any other key. */
export function primesOf(key: KeyObject): readonly bigint[] {
  if (key.asymmetricKeyType !== 'rsa' || key.type !== 'private') return [];
  const [all] = read(key.export({ type: 'pkcs1', format: 'der' }));
  const [, , , , p, q, , , , others] = all as Numbers;
  const rest = ((others ?? []) as Numbers).map((info) => (info as Numbers)[0]);
  return [p, q, ...rest] as bigint[];
}

export function product(factors: readonly bigint[]): bigint {
  return factors.reduce((result, factor) => result * factor, 1n);
}

/** Of two numbers without a common factor. */
export function inverse(number: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, number % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

/** RSAPrivateKey of RFC 8017, A.1.2. */
function encode(primes: readonly bigint[], exponent: bigint): Buffer {
  const d = inverse(exponent, product(primes.map((prime) => prime - 1n)));
  const exponents = primes.map((prime) => d % (prime - 1n));
  const [p = 0n, q = 0n, ...others] = primes;
  const otherInfos = others.map((prime, index) => {
    const before = product(primes.slice(0, index + 2));
    return sequence([prime, exponents[index + 2]!, inverse(before, prime)].map(integer));
  });
  const version = others.length === 0 ? 0n : 1n;
  const numbers = [version, product(primes), exponent, d, p, q, exponents[0]!, exponents[1]!, inverse(q, p)];
  return sequence([...numbers.map(integer), ...(others.length === 0 ? [] : [sequence(otherInfos)])]);
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

function sequence(items: readonly Buffer[]): Buffer {
  return tagged(SEQUENCE, Buffer.concat(items));
}

/** A zero before the digits: a first bit that is set would mean a negative number. */
function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const padded = digits.padStart(digits.length + (digits.length % 2), '0');
  const first = /^[89a-f]/.test(padded) ? '00' : '';
  return tagged(INTEGER, Buffer.from(first + padded, 'hex'));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}

/** Integers, and sequences of them. */
type Numbers = readonly (bigint | Numbers)[];

/** The values in what OpenSSL has written in DER. */
function read(der: Buffer): Numbers {
  const values: (bigint | Numbers)[] = [];
  for (let at = 0; at < der.length; ) {
    const { start, length } = placeOf(der, at + 1);
    const content = der.subarray(start, start + length);
    values.push(der[at] === SEQUENCE ? read(content) : BigInt(`0x${content.toString('hex')}`));
    at = start + length;
  }
  return values;
}

/** Where the content begins, after its length. */
function placeOf(der: Buffer, at: number): { start: number; length: number } {
  const first = der.readUInt8(at);
  if (first < 0x80) return { start: at + 1, length: first };
  const bytes = first - 0x80;
  return { start: at + 1 + bytes, length: der.readUIntBE(at + 1, bytes) };
}
