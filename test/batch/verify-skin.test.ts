import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { GameKeys } from '../../src/batch/signers.ts';
import { isBad, type KeptSkin, type VerifyMeans, verifySkin } from '../../src/batch/verify-skin.ts';
import { NetworkError } from '../../src/client/errors.ts';
import { GameError } from '../../src/game/errors.ts';
import { isSignedByAny } from '../../src/game/game.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { buildTexturesValue } from '../../src/textures/property.ts';
import { fingerprintOf, signValue } from '../../src/textures/signing-key.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';

const SERVICE = 'https://skins.example';
const PIXELS = pixelHash(drawSkin(1));
const OTHER_PIXELS = pixelHash(drawSkin(2));
const [GAME, THEIRS, OWN, STRANGER] = [key(), key(), key(), key()];
const HERE = textureValue(`${SERVICE}/textures/${PIXELS}`);
const AT_THE_GAME = textureValue(`http://textures.minecraft.net/texture/${PIXELS}`);
const signatures = new Map<KeyObject, Record<string, string>>();

beforeAll(async () => {
  for (const one of [GAME, THEIRS, OWN, STRANGER])
    signatures.set(one, {
      [HERE]: await signValue(HERE, one),
      [AT_THE_GAME]: await signValue(AT_THE_GAME, one),
    });
});

function key() {
  return generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
}

function textureValue(url: string, cape?: string): string {
  return buildTexturesValue({
    timestamp: 1,
    profileId: 'a'.repeat(32),
    profileName: 'Ann',
    skin: { url, variant: 'slim' },
    ...(cape !== undefined && { cape: { url: cape } }),
  });
}

function ownKey(one: KeyObject) {
  const publicKey = createPublicKey(one);
  return { publicKey, fingerprint: fingerprintOf(publicKey) };
}

/** The game with one key at hand. `newer`: another one that it tells when it is asked. */
function gameKeys(newer?: KeyObject | 'unreachable'): GameKeys {
  const known = [createPublicKey(GAME)];
  const all = newer === undefined || newer === 'unreachable' ? known : [...known, createPublicKey(newer)];
  return new GameKeys({
    known,
    hasSigned: async (value, signature) => {
      if (newer === 'unreachable') throw new GameError('unreachable', 'It does not answer.');
      return isSignedByAny(all, value, signature);
    },
  });
}

function skin(signer: KeyObject, over: Partial<KeptSkin> = {}): KeptSkin {
  const { value = HERE } = over;
  return { source: 'one.png', value, signature: signatures.get(signer)?.[value] ?? '', ...over };
}

async function verdict(kept: KeptSkin, means: Partial<VerifyMeans> = {}) {
  return await verifySkin(kept, { key: undefined, texture: undefined, sourcePixels: undefined, ...means });
}

const SERVICE_KEY = { publicKey: createPublicKey(THEIRS), service: SERVICE };

describe('The signer is the owner of the key that verifies the signature:', () => {
  test('Mojang, by a key at hand or a published one', async () => {
    expect(await verdict(skin(GAME), { gameKeys: gameKeys() })).toMatchObject({
      signature: 'good',
      signer: 'game',
      problems: [],
    });
    const told = await verdict(skin(STRANGER), { gameKeys: gameKeys(STRANGER) });
    expect(told).toMatchObject({ signature: 'good', signer: 'game' });
  });

  test('the service whose key it is, or a given key, named by its fingerprint', async () => {
    const { fingerprint } = ownKey(THEIRS);
    expect(await verdict(skin(THEIRS), { key: SERVICE_KEY })).toMatchObject({
      signature: 'good',
      signer: SERVICE,
      key: fingerprint,
    });
    const given = { ...SERVICE_KEY, service: undefined };
    expect(await verdict(skin(THEIRS), { key: given })).toMatchObject({ signer: fingerprint });
  });

  test('this machine', async () => {
    const own = ownKey(OWN);
    expect(await verdict(skin(OWN), { own })).toMatchObject({ signer: 'embedded', key: own.fingerprint });
  });
});

describe('A signature that no key verifies', () => {
  test('has an unknown signer if any service may have signed it', async () => {
    for (const means of [{}, { own: ownKey(OWN) }, { gameKeys: gameKeys() }]) {
      const found = await verdict(skin(STRANGER), means);
      expect(found).toMatchObject({ signature: 'unproved', signer: 'unproved', problems: [] });
      expect(isBad(found)).toBe(false);
    }
  });

  test.each([
    ['is none', { signature: 'AAAA' }, {}, 'The signature is not a valid RSA signature.'],
    ['should be the service’s', {}, { key: SERVICE_KEY }, `${SERVICE} has not signed it.`],
    [
      'should be of a given key',
      {},
      { key: { ...SERVICE_KEY, service: undefined } },
      'The signature was not made with this key.',
    ],
    [
      'names this machine’s key',
      { claim: { signer: 'embedded', key: ownKey(OWN).fingerprint } },
      { own: ownKey(OWN) },
      "It names this machine's key, which has not signed it.",
    ],
    [
      'claims to be the game’s',
      { claim: { signer: 'game' } },
      { gameKeys: gameKeys() },
      'Mojang has not signed it.',
    ],
    [
      'has a texture of the game',
      { value: AT_THE_GAME },
      { gameKeys: gameKeys() },
      'Mojang has not signed it.',
    ],
  ])('is bad if it %s', async (_, over, means, problem) => {
    const found = await verdict(skin(STRANGER, over), means);
    expect(found).toMatchObject({ signature: 'bad', signer: 'unproved', problems: [problem] });
    expect(isBad(found)).toBe(true);
  });

  test('has an unknown signer while Mojang is unreachable, whatever the data claims', async () => {
    const kept = skin(STRANGER, { value: AT_THE_GAME, claim: { signer: 'game' } });
    const found = await verdict(kept, { gameKeys: gameKeys('unreachable') });
    expect(found).toMatchObject({ signature: 'unproved', problems: [] });
  });

  test('of an invalid value is reported with the value', async () => {
    const broken = { ...skin(STRANGER), value: 'AAAA' };
    expect(await verdict(broken, { gameKeys: gameKeys() })).toMatchObject({
      value: 'bad',
      signature: 'unproved',
      pixels: 'unknown',
      problems: [expect.any(String)],
    });
  });
});

test('A required signer is reported if another one has signed', async () => {
  const required = { kind: 'service', address: SERVICE } as const;
  expect((await verdict(skin(THEIRS), { key: SERVICE_KEY, required })).problems).toEqual([]);
  const other = await verdict(skin(OWN), { own: ownKey(OWN), required });
  expect(other).toMatchObject({ signature: 'good', problems: [`It is not signed by ${SERVICE}.`] });
});

describe('A field of the entry beside the value', () => {
  const cape = 'http://textures.minecraft.net/texture/cafe';
  test.each([
    ['is damaged', { damage: 'it was changed.' }, 'The entry is damaged: it was changed.'],
    [
      'is another texture',
      { texture: `${SERVICE}/textures/${OTHER_PIXELS}` },
      'The texture address beside the value differs from the one in the value.',
    ],
    ['are other arms', { variant: 'classic' }, 'The value has slim arms, but the entry says classic.'],
    ['is a cape', { hasCape: true }, 'The value has no cape, but one was requested.'],
  ])('is a problem if it %s', async (_, over, problem) => {
    expect((await verdict(skin(THEIRS, over), { key: SERVICE_KEY })).problems).toEqual([problem]);
  });

  test.each([
    ['the same texture elsewhere', { texture: `https://mirror.example/t/${PIXELS}` }],
    ['the same arms', { variant: 'slim' }],
    ['unknown arms', { variant: 'unknown' }],
    ['no cape', { hasCape: false }],
  ])('causes no problem if it is %s', async (_, over) => {
    expect((await verdict(skin(THEIRS, over), { key: SERVICE_KEY })).problems).toEqual([]);
  });

  test('causes no problem if the cape is there', async () => {
    const value = textureValue(`${SERVICE}/textures/${PIXELS}`, cape);
    const signature = await signValue(value, THEIRS);
    const kept = { source: 'one.png', value, signature, hasCape: true };
    expect((await verdict(kept, { key: SERVICE_KEY })).problems).toEqual([]);
  });
});

describe('The picture', () => {
  test.each([
    ['unknown', undefined, PIXELS],
    ['unknown', PIXELS, undefined],
    ['same', PIXELS, PIXELS],
    ['changed', PIXELS, OTHER_PIXELS],
  ] as const)(
    'is %s if the entry has the pixels %j and the source %j',
    async (picture, pixels, sourcePixels) => {
      const found = await verdict(skin(THEIRS, { pixels }), { key: SERVICE_KEY, sourcePixels });
      const changed = 'The source no longer has the pixels that the skin was made from.';
      expect(found).toMatchObject({ picture, problems: picture === 'changed' ? [changed] : [] });
    },
  );
});

describe('The pixels of the texture', () => {
  const fetched = (number: number) => ({ key: SERVICE_KEY, texture: async () => skinPng(number) });

  test('are compared with the pixels of the entry, or else of the source', async () => {
    expect(await verdict(skin(THEIRS, { pixels: PIXELS }), fetched(1))).toMatchObject({ pixels: 'good' });
    const bySource = await verdict(skin(THEIRS), { ...fetched(1), sourcePixels: PIXELS });
    expect(bySource).toMatchObject({ pixels: 'good', picture: 'unknown' });
    expect(await verdict(skin(THEIRS), fetched(1))).toMatchObject({ pixels: 'unknown', problems: [] });
    expect(await verdict(skin(THEIRS, { pixels: PIXELS }), fetched(2))).toMatchObject({
      pixels: 'bad',
      problems: ["The texture's pixels differ from the source's."],
    });
  });

  test.each([
    ['good', PIXELS],
    ['unknown', OTHER_PIXELS],
  ] as const)(
    'are %s by the name of the texture where none is or can be fetched',
    async (pixels, expected) => {
      const kept = skin(THEIRS, { pixels: expected });
      const error = new NetworkError('It does not answer.', { cause: undefined, mayHaveArrived: false });
      const unreachable = async () => await Promise.reject(error);
      for (const texture of [undefined, unreachable])
        expect(await verdict(kept, { key: SERVICE_KEY, texture })).toMatchObject({ pixels, problems: [] });
    },
  );

  test('are bad if the texture is no picture', async () => {
    const texture = async () => Buffer.from('no picture');
    const found = await verdict(skin(THEIRS, { pixels: PIXELS }), { key: SERVICE_KEY, texture });
    expect(found).toMatchObject({ pixels: 'bad', problems: [expect.any(String)] });
  });

  test('are not reported when reading them fails because of a bug', async () => {
    const bug = new TypeError('x is undefined');
    const texture = async () => await Promise.reject(bug);
    const reading = verdict(skin(THEIRS, { pixels: PIXELS }), { key: SERVICE_KEY, texture });
    await expect(reading).rejects.toBe(bug);
  });
});
