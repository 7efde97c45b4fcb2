import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** Of keys with which signing takes a tenth of the time. */
export const SHORT_KEY_BITS = 1024;

/**
 * A short RSA key, with which signing takes little time, made when it is first asked for: several hundred tests need
 * one that is nobody else's, and none needs a new one.
 */
export function sharedKey(): () => Promise<KeyObject> {
  let key: Promise<KeyObject> | undefined;
  return async () => {
    key ??= makeKey();
    return await key;
  };
}

async function makeKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('rsa', { modulusLength: SHORT_KEY_BITS })).privateKey;
}
