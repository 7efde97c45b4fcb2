import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { isSignedBy, parsePublicKey, publicKeyPem, signValue } from '../../../src/textures/signing-key.ts';
import published from '../../fixtures/textures/published.json' with { type: 'json' };
import { tempFolder } from '../../support/textures/temp-folder.ts';

const gameKey = parsePublicKey(published.publicKey);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });

const value = buildTexturesValue({
  timestamp: 1_700_000_000_000,
  profileId: 'ab'.repeat(16),
  profileName: 'Smith',
  skin: { url: 'http://skins.example/texture/aa', variant: 'slim' },
});

/** The text with the character at `index` exchanged for another of the base64 alphabet. */
function altered(text: string, index: number): string {
  return `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`;
}

describe('a property that the game published', () => {
  test('verifies with the key that Mojang published', () => {
    expect(isSignedBy(gameKey, published.value, published.signature)).toBe(true);
  });

  const { length: valueLength } = published.value;
  test.each([0, 100, valueLength >> 1, valueLength - 4])(
    'fails when character %i of its value is another',
    (at) => {
      expect(isSignedBy(gameKey, altered(published.value, at), published.signature)).toBe(false);
    },
  );

  test.each([0, 1, 300, published.signature.length - 5])(
    'fails when character %i of its signature is another',
    (index) => {
      expect(isSignedBy(gameKey, published.value, altered(published.signature, index))).toBe(false);
    },
  );

  test('is signed over the base64 text, not over the JSON inside', () => {
    const json = Buffer.from(published.value, 'base64').toString('utf8');
    expect(isSignedBy(gameKey, json, published.signature)).toBe(false);
  });

  test('does not verify with another key', () => {
    expect(isSignedBy(publicKey, published.value, published.signature)).toBe(false);
  });
});

describe('signValue', () => {
  test('signs so that the public half verifies it', async () => {
    expect(isSignedBy(publicKey, value, await signValue(value, privateKey))).toBe(true);
  });

  test('signs the same value the same way each time, as PKCS#1 v1.5 does', async () => {
    expect(await signValue(value, privateKey)).toBe(await signValue(value, privateKey));
  });

  test('makes base64 of as many bytes as the key has', async () => {
    expect(Buffer.from(await signValue(value, privateKey), 'base64')).toHaveLength(1024 / 8);
  });

  test('makes signatures that openssl verifies over the text with SHA-1', async () => {
    const folder = await tempFolder();
    const at = (name: string) => join(folder, name);
    const signature = Buffer.from(await signValue(value, privateKey), 'base64');
    await writeFile(at('key.pem'), publicKeyPem(publicKey));
    await writeFile(at('value'), value);
    await writeFile(at('other'), altered(value, 10));
    await writeFile(at('signature'), signature);
    const verify = (file: string) =>
      execa('openssl', ['dgst', '-sha1', '-verify', at('key.pem'), '-signature', at('signature'), at(file)], {
        reject: false,
      });
    expect(await verify('value')).toMatchObject({ exitCode: 0, stdout: 'Verified OK' });
    expect(await verify('other')).toMatchObject({ exitCode: 1 });
  });
});

describe('isSignedBy', () => {
  const malformed: [what: string, signature: string][] = [
    ['nothing', ''],
    ['what is not base64', '!!!!'],
    ['a signature that is too short', Buffer.alloc(100, 7).toString('base64')],
    ['a signature of another length', Buffer.alloc(512, 7).toString('base64')],
  ];
  test.each(malformed)('refuses %s', (_, signature) => {
    expect(isSignedBy(publicKey, value, signature)).toBe(false);
  });
});

describe('parsePublicKey', () => {
  test('reads the PEM that we publish, whose label authlib-injector insists on', async () => {
    const pem = publicKeyPem(publicKey);
    expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----\n[^-]+\n-----END PUBLIC KEY-----\n$/);
    expect(isSignedBy(parsePublicKey(pem), value, await signValue(value, privateKey))).toBe(true);
  });

  test('reads base64 DER, as Mojang lists its keys', () => {
    const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    expect(parsePublicKey(der).equals(publicKey)).toBe(true);
  });

  test.each(['', 'AAAA', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])(
    'throws at %j, which holds no key',
    (text) => {
      expect(() => parsePublicKey(text)).toThrow();
    },
  );
});
