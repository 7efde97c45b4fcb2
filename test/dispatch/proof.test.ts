import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ExpectedSkin,
  type GameSignatures,
  ProofError,
  type ProofMeans,
  pixelsOf,
  proveSkin,
  readTextures,
} from '../../src/dispatch/proof.ts';
import { encodeDifferently } from '../../src/double/hosted/pictures.ts';
import { makePicture } from '../../src/skin/picture.ts';
import { encodePng } from '../../src/skin/png/encode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { buildTexturesValue, type Textures } from '../../src/textures/property.ts';
import { parsePublicKey, signValue } from '../../src/textures/signing-key.ts';
import published from '../fixtures/textures/published.json' with { type: 'json' };
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { chunk } from '../support/skin/png-writer.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const { publicKey: otherKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });

const OURS = pixelHash(drawSkin(1));
const ADDRESS = 'http://textures.example/texture/aa11';
const CAPE_ADDRESS = 'http://textures.example/texture/cc33';

type Skin = NonNullable<Textures['skin']>;

function texturesValueOf(skin: Skin | undefined, cape?: Textures['cape']): string {
  return buildTexturesValue({
    timestamp: 1_700_000_000_000,
    profileId: 'ab'.repeat(16),
    profileName: 'Smith',
    ...(skin && { skin }),
    ...(cape && { cape }),
  });
}

async function signed(skin: Partial<Skin> = {}, cape?: Textures['cape']) {
  const value = texturesValueOf({ url: ADDRESS, variant: 'classic', ...skin }, cape);
  return { value, signature: await signValue(value, privateKey) };
}

/** The same picture with so many bytes of text in its file. */
function withText(png: Uint8Array, length: number): Uint8Array {
  const end = png.length - 12;
  return Buffer.concat([png.subarray(0, end), chunk('tEXt', Buffer.alloc(length, 'x\0')), png.subarray(end)]);
}

const expected = (some: Partial<ExpectedSkin> = {}): ExpectedSkin => ({
  pixels: OURS,
  variant: 'auto',
  ...some,
});

/** A service that serves this at every address, and which were asked for. */
function serving(texture: Uint8Array | Error, key: ProofMeans['publicKey'] = publicKey) {
  const asked: string[] = [];
  const fetchIt = async (url: string) => {
    asked.push(url);
    if (texture instanceof Error) throw texture;
    return texture;
  };
  return { asked, tools: { publicKey: key, texture: fetchIt } };
}

describe('A skin is proved', () => {
  test('when its texture has the pixels of the source, in whatever bytes', async () => {
    for (const png of [skinPng(1), encodeDifferently(drawSkin(1))]) {
      const { asked, tools } = serving(png);
      await proveSkin(await signed(), expected(), tools);
      expect(asked).toEqual([ADDRESS]);
    }
  });

  test('when its texture is a bigger file than one that may be uploaded', async () => {
    await proveSkin(await signed(), expected(), serving(withText(skinPng(1), 40_000)).tools);
  });

  test('without fetching its texture when the address is the hash of its pixels', async () => {
    const { asked, tools } = serving(new Error('Nobody should ask.'));
    const url = `http://127.0.0.1:8080/textures/${OURS}`;
    await proveSkin(await signed({ url }), expected(), tools);
    expect(asked).toEqual([]);
  });

  test('without fetching its texture when the pixels of the source are unknown, or no check is wanted', async () => {
    const { asked, tools } = serving(new Error('Nobody should ask.'));
    await proveSkin(await signed(), expected({ pixels: undefined }), tools);
    await proveSkin(await signed(), expected(), { ...tools, texture: undefined });
    expect(asked).toEqual([]);
  });

  test.each(['classic', 'slim'] as const)('for the requested arms (%s)', async (variant) => {
    await proveSkin(await signed({ variant }), expected({ variant }), serving(skinPng(1)).tools);
    await proveSkin(await signed({ variant }), expected({ variant: 'auto' }), serving(skinPng(1)).tools);
  });

  test('with the requested cape, wherever it is served, and with any if none was requested', async () => {
    const { tools } = serving(skinPng(1));
    const caped = await signed({}, { url: CAPE_ADDRESS });
    for (const cape of [{ texture: 'cc33' }, { texture: undefined }, undefined])
      await proveSkin(caped, expected({ cape }), tools);
  });

  test('by the texture alone if the service publishes no key', async () => {
    const unsigned = { ...(await signed()), signature: 'bm90aGluZw==' };
    const tools = { ...serving(skinPng(1)).tools, publicKey: undefined };
    await proveSkin(unsigned, expected(), tools);
  });

  test('by the key that the service has changed to', async () => {
    const { tools } = serving(skinPng(1), otherKey);
    const signing = await proveSkin(await signed(), expected(), {
      ...tools,
      freshKey: async () => publicKey,
    });
    expect(signing).toBe('service');
  });

  test('without reading the key again when the one at hand has signed', async () => {
    let reads = 0;
    const freshKey = async () => {
      reads++;
      return publicKey;
    };
    await proveSkin(await signed(), expected(), { ...serving(skinPng(1)).tools, freshKey });
    expect(reads).toBe(0);
  });

  test('by a key that was not there yet when the batch began', async () => {
    const tools = { ...serving(skinPng(1)).tools, publicKey: undefined, freshKey: async () => publicKey };
    expect(await proveSkin(await signed(), expected(), tools)).toBe('service');
  });

  test('as Mojang published it', async () => {
    const tools = { publicKey: parsePublicKey(published.publicKey), texture: undefined };
    await proveSkin(published, expected({ pixels: undefined }), tools);
  });
});

describe('The signer of a skin', () => {
  const GAME_ADDRESS = 'https://textures.minecraft.net/texture/aa11';
  /** What the game says of the signature; undefined: it cannot be asked. */
  const game = (said: boolean | undefined, includes = false): GameSignatures => ({
    include: () => includes,
    haveSigned: async () => said,
  });
  const rows: [what: string, url: string, means: Partial<ProofMeans>, who: string][] = [
    ['the service, by its key', ADDRESS, { publicKey, gameKeys: game(false) }, 'service'],
    ['the game, whose key the service names', ADDRESS, { publicKey, gameKeys: game(false, true) }, 'game'],
    ['the game, by a key of its own', ADDRESS, { publicKey: otherKey, gameKeys: game(true) }, 'game'],
    ['the game, where the service has no key', ADDRESS, { gameKeys: game(true) }, 'game'],
    ['nobody known', ADDRESS, { gameKeys: game(false) }, 'unproved'],
    ['nobody known, with the game away', GAME_ADDRESS, { gameKeys: game(undefined) }, 'unproved'],
    ['nobody known, with nothing known of the game', GAME_ADDRESS, {}, 'unproved'],
    ['not the game, whose texture it is', GAME_ADDRESS, { gameKeys: game(false) }, 'invalid_signature'],
    ['neither of them', ADDRESS, { publicKey: otherKey, gameKeys: game(false) }, 'invalid_signature'],
    [
      'not the service; the game is away',
      ADDRESS,
      { publicKey: otherKey, gameKeys: game(undefined) },
      'unverified',
    ],
  ];
  test.each(rows)('is %s', async (_, url, means, who) => {
    const skin = await signed({ url });
    const proof = proveSkin(skin, expected(), { publicKey: undefined, texture: undefined, ...means });
    expect(await proof.catch((error: ProofError) => error.code)).toBe(who);
  });
});

describe('A skin is refused', () => {
  async function refusal(skin: Parameters<typeof proveSkin>[0], wanted: ExpectedSkin, tools: ProofMeans) {
    const error = await proveSkin(skin, wanted, tools).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProofError);
    return error as ProofError;
  }

  test("as unsigned when the service's new key did not sign it either", async () => {
    const { tools } = serving(skinPng(1), otherKey);
    const error = await refusal(await signed(), expected(), { ...tools, freshKey: async () => otherKey });
    expect(error.code).toBe('invalid_signature');
  });

  test('as wrong when its texture has other pixels', async () => {
    const error = await refusal(await signed(), expected(), serving(skinPng(2)).tools);
    expect(error).toMatchObject({ code: 'wrong_skin', message: expect.stringContaining('another picture') });
  });

  test('as wrong without the requested cape, or with another', async () => {
    const { tools } = serving(skinPng(1));
    const bare = await refusal(await signed(), expected({ cape: { texture: undefined } }), tools);
    expect(bare).toMatchObject({ code: 'wrong_skin', message: expect.stringContaining('no cape') });
    const other = await signed({}, { url: CAPE_ADDRESS });
    const error = await refusal(other, expected({ cape: { texture: 'dd44' } }), tools);
    expect(error).toMatchObject({
      code: 'wrong_skin',
      message: expect.stringContaining('does not have the requested cape'),
    });
  });

  test('as wrong if a single pixel differs, with its signer', async () => {
    const picture = drawSkin(1);
    picture.pixels[(8 * 64 + 8) * 4] = (picture.pixels[(8 * 64 + 8) * 4] ?? 0) ^ 1;
    const error = await refusal(await signed(), expected(), serving(encodePng(picture)).tools);
    expect(error).toMatchObject({ code: 'wrong_skin', signing: 'service' });
  });

  test.each([
    ['slim', 'classic'],
    ['classic', 'slim'],
  ] as const)('as wrong when it is %s although %s was requested', async (made, wanted) => {
    const { tools, asked } = serving(skinPng(1));
    const error = await refusal(await signed({ variant: made }), expected({ variant: wanted }), tools);
    expect(error).toMatchObject({
      code: 'wrong_skin',
      message: `The skin is ${made}, but ${wanted} was requested.`,
    });
    expect(asked).toEqual([]);
  });

  const notSkins: [what: string, bytes: Uint8Array][] = [
    ['nothing', new Uint8Array()],
    ['a page', Buffer.from('<html>')],
    ['half a skin', skinPng(1).subarray(0, 100)],
    ['a picture of another size', encodePng(makePicture(32, 32))],
    ['more than a texture can be', withText(skinPng(1), 300_000)],
  ];
  test.each(notSkins)('as wrong when its address serves %s', async (_, bytes) => {
    const error = await refusal(await signed(), expected(), serving(bytes).tools);
    expect(error.code).toBe('wrong_skin');
    expect(error.message).toMatch(/^The texture's URL does not serve a skin: \S/);
  });

  test.each([
    ['someone else signed it', otherKey, 0],
    ['its value was changed after it was signed', publicKey, 10],
  ])('as not signed when %s', async (_, key, at) => {
    const { value, signature } = await signed();
    const changed = at === 0 ? value : texturesValueOf({ url: `${ADDRESS}2`, variant: 'classic' });
    const { tools, asked } = serving(skinPng(1), key);
    const error = await refusal({ value: changed, signature }, expected(), tools);
    expect(error).toMatchObject({ code: 'invalid_signature' });
    expect(asked).toEqual([]);
  });

  test('as not signed when its address is the right hash but the signature is empty', async () => {
    const { value } = await signed({ url: `http://textures.example/texture/${OURS}` });
    const error = await refusal({ value, signature: '' }, expected(), serving(skinPng(1)).tools);
    expect(error.code).toBe('invalid_signature');
  });

  const noData: [what: string, value: string][] = [
    ['is empty', ''],
    ['is no base64', 'not base64!'],
    ['holds no JSON', Buffer.from('{nothing').toString('base64')],
    ['is no textures document', Buffer.from('{"textures":[]}').toString('base64')],
    ['names no skin', texturesValueOf(undefined)],
    ['names an address that is none', texturesValueOf({ url: 'file:///etc/passwd', variant: 'classic' })],
    ['is far too long', 'A'.repeat(40_000)],
  ];
  test.each(noData)('as no skin data when its value %s', async (_, value) => {
    const { tools, asked } = serving(skinPng(1));
    const skin = { value, signature: await signValue(value, privateKey) };
    expect(await refusal(skin, expected(), tools)).toMatchObject({ code: 'invalid_skin_data' });
    expect(asked).toEqual([]);
  });

  test('as unverified when its texture cannot be fetched, with the reason', async () => {
    const reason = new Error('The connection was reset.');
    const error = await refusal(await signed(), expected(), serving(reason).tools);
    expect(error).toMatchObject({
      code: 'unverified',
      cause: reason,
      message: "The skin's texture could not be checked: The connection was reset.",
      hint: expect.stringContaining('--no-verify'),
    });
  });

  test('as wrong when only a part of its address is the right hash', async () => {
    for (const url of [`${ADDRESS}/${OURS}/x`, `${ADDRESS}?x=/${OURS}`, `${ADDRESS}#/${OURS}`]) {
      const { tools, asked } = serving(skinPng(2));
      expect(await refusal(await signed({ url }), expected(), tools)).toMatchObject({ code: 'wrong_skin' });
      expect(asked).toEqual([url]);
    }
  });
});

describe('What a skin consists of', () => {
  test('is read from its value', () => {
    const skin = { url: ADDRESS, variant: 'slim' } as const;
    expect(readTextures(texturesValueOf(skin))).toEqual({ skin });
    expect(readTextures(texturesValueOf(skin, { url: CAPE_ADDRESS }))).toEqual({
      skin,
      cape: { url: CAPE_ADDRESS },
    });
  });

  test('includes the pixels of its picture, in whatever bytes', () => {
    expect(pixelsOf(skinPng(1))).toBe(OURS);
    expect(pixelsOf(encodeDifferently(drawSkin(1)))).toBe(OURS);
    expect(pixelsOf(skinPng(2))).not.toBe(OURS);
  });
});
