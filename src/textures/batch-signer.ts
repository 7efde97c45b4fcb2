import * as crypto from 'node:crypto';
import { constants, createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { inverse, primesOf, product, rsaKeyOf } from './rsa-encoding.ts';

/** Signs a textures value as `signValue` does; base64. */
export type Signer = (value: string) => string;

/** What OpenSSL does with private keys. */
export type OpenSsl = Pick<typeof crypto, 'sign' | 'privateEncrypt'>;

const ALGORITHM = 'RSA-SHA1';

/**
 * Returns a function that signs many values with one key, on the thread that calls it. OpenSSL uses the instructions that
 * some processors have for RSA (AVX512-IFMA) only with two primes of certain lengths. So a key of 4,096 bits with four
 * primes is used as two keys of 2,048 bits, and the Chinese remainder theorem puts their results together. That takes
 * half the time there, and a tenth more on other processors. Each of these signatures is verified. Other keys sign as usual.
 *
 * Only for batches, whose caller is the user of this computer, not for servers: OpenSSL hides from those who measure
 * times what it computes with a key; the arithmetic here does not.
 */
export function batchSigner(key: KeyObject, openSsl: OpenSsl = crypto): Signer {
  const pairs = pairsOf(key);
  const signUsually: Signer = (value) => openSsl.sign(ALGORITHM, Buffer.from(value), key).toString('base64');
  if (!pairs) return signUsually;
  const publicKey = createPublicKey(key);
  const bytes = bytesOf(pairs.first.modulus * pairs.second.modulus);
  return (value) => {
    const data = Buffer.from(value);
    const signature = toBuffer(signInPairs(padded(data, bytes), pairs, openSsl), bytes);
    // A fault of the processor: such a signature would give the key away.
    if (!verify(ALGORITHM, data, publicKey, signature)) return signUsually(value);
    return signature.toString('base64');
  };
}

/** The key for two of the primes. */
interface Half {
  readonly key: KeyObject;
  readonly modulus: bigint;
  readonly bytes: number;
}

interface Pairs {
  readonly first: Half;
  readonly second: Half;
  /** The inverse of the second modulus modulo the first. */
  readonly coefficient: bigint;
}

/** Undefined for keys with another number of primes than four. */
function pairsOf(key: KeyObject): Pairs | undefined {
  const primes = primesOf(key);
  const { publicExponent } = key.asymmetricKeyDetails ?? {};
  if (primes.length !== 4 || publicExponent === undefined) return undefined;
  const first = halfOf(primes.slice(0, 2), publicExponent);
  const second = halfOf(primes.slice(2), publicExponent);
  return { first, second, coefficient: inverse(second.modulus, first.modulus) };
}

function halfOf(primes: readonly bigint[], exponent: bigint): Half {
  const modulus = product(primes);
  return { key: rsaKeyOf(primes, exponent), modulus, bytes: bytesOf(modulus) };
}

function signInPairs(message: bigint, { first, second, coefficient }: Pairs, openSsl: OpenSsl): bigint {
  const one = power(message, first, openSsl);
  const two = power(message, second, openSsl);
  const difference = (((one - two) % first.modulus) + first.modulus) % first.modulus;
  return two + second.modulus * ((difference * coefficient) % first.modulus);
}

/** The message to the power of the private exponent. */
function power(message: bigint, { key, modulus, bytes }: Half, openSsl: OpenSsl): bigint {
  const input = toBuffer(message % modulus, bytes);
  return toNumber(openSsl.privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, input));
}

/** DigestInfo of a SHA-1 digest, which follows (RFC 8017, 9.2). */
const DIGEST_INFO = '3021300906052b0e03021a05000414';

/** EMSA-PKCS1-v1_5 of the data's SHA-1. */
function padded(data: Buffer, bytes: number): bigint {
  const end = `00${DIGEST_INFO}${hash('sha1', data)}`;
  return BigInt(`0x1${end.padStart(2 * bytes - 4, 'f')}`);
}

function bytesOf(modulus: bigint): number {
  return Math.ceil(modulus.toString(16).length / 2);
}

function toBuffer(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}
