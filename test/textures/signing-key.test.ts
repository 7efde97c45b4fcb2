import { generateKeyPairSync } from 'node:crypto';
import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { isSignedBy, openSigningKey, parsePublicKey, signValue } from '../../src/textures/signing-key.ts';
import { tempFolder } from '../support/textures/temp-folder.ts';

/** Short keys are made in a fraction of a second. */
const BITS = 1024;

describe('openSigningKey', () => {
  test('makes a key file on first use, in folders that it makes too, for its owner alone', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'data', 'deeper', 'signing-key.pem');
    await openSigningKey(path, BITS);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect(await readFile(path, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test('reads the same key each time afterwards', async () => {
    const path = join(await tempFolder(), 'key.pem');
    const made = await openSigningKey(path, BITS);
    const text = await readFile(path, 'utf8');
    const read = await openSigningKey(path, BITS);
    expect(read.privateKey.equals(made.privateKey)).toBe(true);
    expect(read).toMatchObject({ publicPem: made.publicPem, id: made.id });
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('creates one key when several start at once, and leaves no other file', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'key.pem');
    const keys = await Promise.all(Array.from({ length: 4 }, () => openSigningKey(path, BITS)));
    expect(new Set(keys.map((key) => key.id)).size).toBe(1);
    expect((await openSigningKey(path, BITS)).id).toBe(keys[0]?.id);
    expect(await readdir(folder)).toEqual(['key.pem']);
  });

  test('returns a private key whose public half verifies what it signs', async () => {
    const key = await openSigningKey(join(await tempFolder(), 'key.pem'), BITS);
    const signature = await signValue('value', key.privateKey);
    expect(isSignedBy(parsePublicKey(key.publicPem), 'value', signature)).toBe(true);
    expect(key.id).toMatch(/^[0-9a-f]{16}$/);
  });

  test('refuses a key with a small exponent, and a file with more than one key', async () => {
    const path = join(await tempFolder(), 'key.pem');
    const make = (publicExponent: number) =>
      generateKeyPairSync('rsa', { modulusLength: BITS, publicExponent }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      });
    await writeFile(path, make(3));
    await expect(openSigningKey(path, BITS)).rejects.toThrow('its exponent is 3, not 65537');
    await writeFile(path, `${make(65_537)}${make(65_537)}`);
    await expect(openSigningKey(path, BITS)).rejects.toThrow('cannot be used');
  });

  test('reads a key with four primes, as earlier versions made it', async () => {
    const path = join(await tempFolder(), 'key.pem');
    await copyFile(join(import.meta.dirname, '../fixtures/four-primes.pem'), path);
    const { privateKey, publicPem } = await openSigningKey(path);
    expect(isSignedBy(parsePublicKey(publicPem), 'value', await signValue('value', privateKey))).toBe(true);
  });

  test('makes keys with two primes, which all programs can read', async () => {
    const { privateKey } = await openSigningKey(join(await tempFolder(), 'key.pem'), BITS);
    const der = privateKey.export({ type: 'pkcs1', format: 'der' });
    expect(der[der.indexOf(Buffer.from([0x02, 0x01])) + 2]).toBe(0); // the version: 1 with more primes
  });

  test('names different keys differently', async () => {
    const folder = await tempFolder();
    const [one, other] = await Promise.all(
      ['a.pem', 'b.pem'].map((name) => openSigningKey(join(folder, name), BITS)),
    );
    expect(one?.id).not.toBe(other?.id);
  });

  test('makes keys of 4096 bits unless told otherwise, because readers expect 512-byte signatures', async () => {
    // The setup of all tests made it that way.
    const { privateKey } = await openSigningKey(inject('signingKeyPath'));
    expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(4096);
    expect(await signValue('value', privateKey)).toHaveLength(684);
  });

  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const publicOnly = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  const unusable: [what: string, text: string][] = [
    ['nothing', ''],
    ['garbage', 'this is no key\n'],
    ['a PEM frame around garbage', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['a key of another kind', elliptic.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['only a public key', publicOnly.export({ type: 'spki', format: 'pem' }).toString()],
  ];
  test.each(unusable)('names the file when it holds %s, and does not change it', async (_, text) => {
    const path = join(await tempFolder(), 'key.pem');
    await writeFile(path, text);
    await expect(openSigningKey(path, BITS)).rejects.toThrow(
      `The signing key ${path} cannot be used: it is not an RSA private key (PKCS#8 in PEM).`,
    );
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('refuses a key that is too short, and closes one that others can read', async () => {
    const path = join(await tempFolder(), 'key.pem');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 512 });
    await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o644 });
    await expect(openSigningKey(path, BITS)).rejects.toThrow(`it has 512 bits, not ${BITS}`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('reports that the place cannot be written, and leaves nothing behind', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(openSigningKey(join(folder, 'file', 'key.pem'), BITS)).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
    expect(await readdir(folder)).toEqual(['file']);
  });
});
