import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import { makeSecretFile, readSecretFile } from '../base/secret-files.ts';
import { shortFingerprint } from '../base/text.ts';

/**
 * The key that signs and its public half (SPKI PEM). `id` names it in the store: the first 16 hexadecimal digits of the
 * PEM's SHA-256. It is not the key's fingerprint, and not for people.
 */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicPem: string;
  readonly id: string;
}

/** A key file that cannot be used for signing. `message` names the file and says what to do. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError';
  readonly code = 'signing_key_unusable';

  constructor(path: string, reason: string, cause?: unknown) {
    super(`The signing key ${path} cannot be used: ${reason}. Restore it from a backup.`, { cause });
  }
}

/** As long as the game's own: readers expect 512-byte signatures. */
const SIGNING_KEY_BITS = 4096;
/** Public exponent of the keys that are made here. With a small one, some verifiers accept forged signatures. */
const EXPONENT = 65_537n;

/**
 * Reads the signing key at `path` (PKCS#8 PEM, mode 0600), creating it on first use. Never replace it: everything
 * ever signed depends on it. Two processes that start at once end up with the same key.
 * @throws SigningKeyError when the file exists but is not an RSA key of at least `bits`
 */
export async function openSigningKey(path: string, bits = SIGNING_KEY_BITS): Promise<SigningKey> {
  const pem = (await readSecretFile(path)) ?? (await createKeyFile(path, bits));
  const key = readKey(path, pem);
  const { modulusLength = 0, publicExponent } = key.privateKey.asymmetricKeyDetails ?? {};
  if (publicExponent !== EXPONENT)
    throw new SigningKeyError(path, `its exponent is ${publicExponent}, not ${EXPONENT}`);
  if (modulusLength < bits) throw new SigningKeyError(path, `it has ${modulusLength} bits, not ${bits}`);
  return key;
}

function readKey(path: string, pem: string): SigningKey {
  try {
    return makeSigningKey(pem);
  } catch (cause) {
    throw new SigningKeyError(path, 'it is not an RSA private key (PKCS#8 in PEM)', cause);
  }
}

/** The id of the key in such a file; undefined if the file holds no key. */
export function idOfSigningKey(pem: string): string | undefined {
  try {
    return makeSigningKey(pem).id;
  } catch {
    return undefined; // the service says so when it starts
  }
}

function makeSigningKey(pem: string): SigningKey {
  if (pem.match(/-----BEGIN /g)?.length !== 1) throw new Error('not one key');
  const base64 = pem.replace(/-----[A-Z ]+-----|\s/g, '');
  const privateKey = parsePrivateKey(Buffer.from(base64, 'base64'));
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('not an RSA key');
  return signingKeyOf(privateKey);
}

/** An RSA key as one that signs. */
export function signingKeyOf(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const publicPem = publicKeyPem(publicKey);
  return { privateKey, publicKey, publicPem, id: shortFingerprint(publicPem) };
}

async function createKeyFile(path: string, bits: number): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
  return await makeSecretFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * Signs a textures value as the game does: RSA PKCS#1 v1.5 with SHA-1 over the bytes of the base64
 * *text*, not of the JSON inside it (measured against published properties). Runs in the thread
 * pool, so that several cores sign at once.
 * @returns base64; 684 characters for a 4096-bit key
 */
export async function signValue(value: string, privateKey: KeyObject): Promise<string> {
  return (await signAsync('RSA-SHA1', Buffer.from(value), privateKey)).toString('base64');
}

/** Whether `signature` (base64) is valid for `value` and `publicKey`. False for anything malformed. */
export function isSignedBy(publicKey: KeyObject, value: string, signature: string): boolean {
  return verify('RSA-SHA1', Buffer.from(value), publicKey, Buffer.from(signature, 'base64'));
}

/** Parses a published public key: SPKI in PEM, or base64 DER (the game's key list). */
export function parsePublicKey(text: string): KeyObject {
  if (text.includes('-----BEGIN')) return createPublicKey(text);
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}

/** The public key in the form that authlib-injector accepts: SPKI PEM (it refuses "RSA PUBLIC KEY"). */
export function publicKeyPem(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

function parsePrivateKey(der: Buffer): KeyObject {
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Identifies a public key to people and programs: SHA-256 of its SPKI in DER, 64 lower-case hexadecimal digits. */
export function fingerprintOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
