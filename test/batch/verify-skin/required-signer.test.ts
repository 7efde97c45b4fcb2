import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SignedBy } from '../../../src/batch/model.ts';
import type { GameKeys } from '../../../src/batch/signers.ts';
import {
  fingerprintIn,
  isRequired,
  isSignedAsRequired,
  type RequiredSigner,
  requiredText,
} from '../../../src/batch/verify-skin.ts';
import { fingerprintOf } from '../../../src/textures/signing-key.ts';

const HERE = 'https://here.example';
const KEY = 'ab'.repeat(32);

const REQUIRED = {
  Mojang: { kind: 'game' },
  'a service': { kind: 'service', address: HERE },
  'a key': { kind: 'key', fingerprint: KEY },
  "a key by its fingerprint's beginning": { kind: 'key', fingerprint: KEY.slice(0, 16) },
} satisfies Record<string, RequiredSigner>;

const TABLE: readonly [SignedBy, passes: readonly (keyof typeof REQUIRED)[]][] = [
  [{ signer: 'game' }, ['Mojang']],
  [{ signer: HERE, key: 'cd'.repeat(32) }, ['a service']],
  [{ signer: HERE, key: KEY }, ['a service', 'a key', "a key by its fingerprint's beginning"]],
  [{ signer: 'embedded', key: KEY }, ['a key', "a key by its fingerprint's beginning"]],
  [{ signer: 'https://there.example', key: 'cd'.repeat(32) }, []],
  [{ signer: 'unproved' }, []],
];

describe.each(Object.entries(REQUIRED))('Where %s is required', (name, required: RequiredSigner) => {
  test.each(TABLE)('%j', (signedBy, passes) => {
    expect(isRequired(signedBy, required)).toBe(passes.some((one) => one === name));
  });
});

test('A required signer has a readable name', () => {
  const names = Object.values(REQUIRED).map((required: RequiredSigner) => requiredText(required));
  expect(names).toEqual(['Mojang', HERE, `the key ${KEY}`, `the key ${KEY.slice(0, 16)}`]);
});

test.each([
  [true, true],
  [false, false],
  [undefined, false],
])('If Mojang must have signed, its keys decide (%s), not what the data claims', async (said, isSigned) => {
  const gameKeys = { haveSigned: async () => said } as unknown as GameKeys;
  const data = { value: 'v', signature: 's', signedBy: { signer: said ? 'unproved' : 'game' } };
  expect(await isSignedAsRequired(data, { kind: 'game' }, gameKeys)).toBe(isSigned);
});

test('A required signer is compared with the known signer', async () => {
  const gameKeys = { haveSigned: async () => true } as unknown as GameKeys;
  const required = { kind: 'service', address: HERE } as const;
  const data = { value: 'v', signature: 's' };
  const signedBy = { signer: HERE };
  expect(await isSignedAsRequired({ ...data, signedBy }, required, gameKeys)).toBe(true);
  expect(await isSignedAsRequired({ ...data, signedBy: { signer: 'game' } }, required, gameKeys)).toBe(false);
  expect(await isSignedAsRequired(data, required, gameKeys)).toBe(false);
});

test('A key is named by its fingerprint; a text that is not a key has no name', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect([fingerprintIn(pem), fingerprintIn('no key')]).toEqual([fingerprintOf(publicKey), undefined]);
});
