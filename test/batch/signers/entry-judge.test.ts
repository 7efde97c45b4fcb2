import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { damageOf, GameKeys, signedBy } from '../../../src/batch/signers.ts';
import { type LockEntry, withDigest } from '../../../src/protocol/lock-line.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { fingerprintOf, parsePublicKey, signValue } from '../../../src/textures/signing-key.ts';
import published from '../../fixtures/textures/published.json' with { type: 'json' };
import { lockEntry } from '../../support/batch/lockfile-entries.ts';

const HOSTED = 'https://api.mineskin.org';
const GAME_TEXTURE =
  'http://textures.minecraft.net/texture/8e7a46c258268f42c859dd5c8008a97c72b8d370e981ce2dcc0c3fd451638ed7';
const own = generateKeyPairSync('rsa', { modulusLength: 1024 });
const other = generateKeyPairSync('rsa', { modulusLength: 1024 });
const OWN = { publicKey: own.publicKey, fingerprint: fingerprintOf(own.publicKey) };
const game = new GameKeys(
  {
    known: [parsePublicKey(published.publicKey)],
    hasSigned: async () => {
      throw new Error('Nobody is to be asked.');
    },
  },
  { isOffline: true },
);
const KEYS = { game, own: OWN };

/** An entry as versions without signers wrote it. */
async function oldEntry(privateKey: KeyObject, changes: Partial<LockEntry> = {}): Promise<LockEntry> {
  const url = 'http://127.0.0.1:7546/textures/abc';
  const value = buildTexturesValue({
    timestamp: 1_700_000_000_000,
    profileId: 'ab'.repeat(16),
    profileName: 'Smith',
    skin: { url, variant: 'classic' },
  });
  const signature = await signValue(value, privateKey);
  return lockEntry({ value, signature, texture: url, service: 'embedded', key: undefined, ...changes });
}

const { value, signature } = published;
const gameEntry = lockEntry({ value, signature, texture: GAME_TEXTURE, service: HOSTED, key: undefined });

describe('The signer of an entry of an old lockfile', () => {
  test('is Mojang if its published key verifies, whoever passed the skin on', () => {
    expect(signedBy(gameEntry, KEYS)).toEqual({ signer: 'game' });
    expect(signedBy({ ...gameEntry, service: 'embedded' }, KEYS)).toEqual({ signer: 'game' });
  });

  test('is this machine, by its own key', async () => {
    const entry = await oldEntry(own.privateKey);
    expect(signedBy(entry, KEYS)).toEqual({ signer: 'embedded', key: OWN.fingerprint });
  });

  test('is another machine or another service, by the key that the entry names', async () => {
    const key = fingerprintOf(other.publicKey);
    const entry = await oldEntry(other.privateKey, { key });
    expect(signedBy(entry, KEYS)).toEqual({ signer: 'embedded', key });
    expect(signedBy({ ...entry, service: HOSTED }, KEYS)).toEqual({ signer: HOSTED, key });
  });

  test('is unknown if no key verifies the signature', async () => {
    const entry = await oldEntry(other.privateKey, { service: HOSTED });
    expect(signedBy(entry, KEYS)).toEqual({ signer: 'unproved' });
  });

  test('is not this machine just because the entry says so', async () => {
    const entry = await oldEntry(other.privateKey, { key: OWN.fingerprint });
    expect(signedBy(entry, KEYS)).toEqual({ signer: 'unproved' });
  });
});

describe('An entry that names its signer', () => {
  test('is trusted while it is unchanged', async () => {
    const entry = withDigest(await oldEntry(other.privateKey, { signer: 'game' }));
    expect(signedBy(entry, KEYS)).toEqual({ signer: 'game' });
    expect(signedBy({ ...entry, signer: HOSTED }, KEYS)).toEqual({ signer: 'unproved' });
  });
});

describe('Damage of an old entry', () => {
  test('is not reported if the signature matches the entry', async () => {
    expect(damageOf(gameEntry, KEYS)).toBeUndefined();
    expect(
      damageOf({ ...gameEntry, texture: GAME_TEXTURE.replace('http:', 'https:') }, KEYS),
    ).toBeUndefined();
    expect(damageOf(await oldEntry(own.privateKey, { key: OWN.fingerprint }), KEYS)).toBeUndefined();
  });

  test.each([
    ['a cut value', { value: value.slice(0, 400) }, /the value does not contain JSON/],
    ['another texture', { texture: `${GAME_TEXTURE}0` }, /names another texture/],
    ['a cut signature', { signature: signature.slice(0, 100) }, /signature is incomplete/],
    ['a signature without its end', { signature: signature.slice(0, -1) }, /signature is incomplete/],
  ])('is found in %s', (_, touched, what) => {
    expect(damageOf({ ...gameEntry, ...touched }, KEYS)).toMatch(what);
  });

  test("is detected in a signature that claims this machine's key falsely", async () => {
    const entry = await oldEntry(own.privateKey, { key: OWN.fingerprint });
    const touched = { ...entry, signature: entry.signature.replace(/^.{4}/, 'AAAA') };
    expect(damageOf(touched, KEYS)).toMatch(/this machine's key/);
  });
});
