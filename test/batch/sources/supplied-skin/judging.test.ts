import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SuppliedSkin, VariantInput } from '../../../../src/batch/model.ts';
import { GameKeys } from '../../../../src/batch/signers.ts';
import { SuppliedSkins, type SuppliedSkinsOptions } from '../../../../src/batch/sources/supplied-skin.ts';
import { GameError } from '../../../../src/game/errors.ts';
import { isSignedByAny } from '../../../../src/game/game.ts';
import { buildTexturesValue } from '../../../../src/textures/property.ts';
import { fingerprintOf, signValue } from '../../../../src/textures/signing-key.ts';

const SERVICE = 'https://skins.example';
const [GAME, THEIRS, OTHER] = [key(), key(), key()];
const VALUE = buildTexturesValue({
  timestamp: 1,
  profileId: 'a'.repeat(32),
  profileName: 'Ann',
  skin: { url: `https://skins.example/textures/${'ab'.repeat(32)}`, variant: 'slim' },
});
const WHOSE = { game: GAME, service: THEIRS, another: OTHER };
const signatures: Record<string, string> = {};

beforeAll(async () => {
  for (const [who, privateKey] of Object.entries(WHOSE)) signatures[who] = await signValue(VALUE, privateKey);
});

function key() {
  return generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
}

/** The game is reachable, but tells no more than the key at hand. */
function gameKeys(): GameKeys {
  const known = [createPublicKey(GAME)];
  return new GameKeys({
    known,
    hasSigned: async (value, signature) => isSignedByAny(known, value, signature),
  });
}

function skins(options: Partial<SuppliedSkinsOptions> = {}) {
  let asked = 0;
  const publicKey = createPublicKey(THEIRS);
  const askedKey = async () => {
    asked++;
    return { publicKey, fingerprint: fingerprintOf(publicKey) };
  };
  const given = new SuppliedSkins({
    service: SERVICE,
    askedKey,
    gameKeys: gameKeys(),
    force: false,
    cape: undefined,
    ...options,
  });
  return { given, asked: () => asked };
}

async function judge(
  signature: string | undefined,
  options: Partial<SuppliedSkinsOptions> = {},
  { variant = 'auto', isOfService = false }: { variant?: VariantInput; isOfService?: boolean } = {},
) {
  const data: SuppliedSkin = { value: VALUE, ...(signature !== undefined && { signature }) };
  return await skins(options).given.judge({ given: data, variant, isOfService });
}

describe('Given skin data is used as the result', () => {
  test.each([
    ['game', { signer: 'game' }],
    ['service', { signer: SERVICE, key: fingerprintOf(createPublicKey(THEIRS)) }],
  ])('when the %s has signed it', async (who, signedBy) => {
    expect(await judge(signatures[who])).toMatchObject({
      kind: 'kept',
      warnings: [],
      skin: { variant: 'slim', signature: signatures[who], signedBy, texture: { hash: 'ab'.repeat(32) } },
    });
  });

  test('when the service has signed it and no key of Mojang is known', async () => {
    expect(await judge(signatures['service'], { gameKeys: undefined })).toMatchObject({
      kind: 'kept',
      skin: { signedBy: { signer: SERVICE } },
    });
  });

  test('when the service has it, even with an unknown signer, which is noted', async () => {
    const outcome = await judge(
      signatures['another'],
      { askedKey: async () => undefined, gameKeys: undefined },
      {
        isOfService: true,
      },
    );
    expect(outcome).toMatchObject({
      kind: 'kept',
      warnings: [{ code: 'signature_unproved' }],
      skin: { signedBy: { signer: 'unproved' } },
    });
  });

  test.each([{ name: 'Ann' }, {}])('with its own name: %j', async (named) => {
    const given: SuppliedSkin = { value: VALUE, signature: signatures['game']!, ...named };
    const outcome = await skins().given.judge({ given, variant: 'auto', isOfService: false });
    expect('skin' in outcome && outcome.skin.name).toBe(given.name);
  });

  test('with the same UUID each time it is given', async () => {
    const [one, other] = [await judge(signatures['game']), await judge(signatures['game'])];
    expect(one).toEqual(other);
    expect(one).toMatchObject({ skin: { uuid: expect.stringMatching(/^[0-9a-f]{32}$/) } });
  });
});

describe('Given skin data is made again from its texture', () => {
  const cases: [
    why: string,
    who: string | undefined,
    options: Partial<SuppliedSkinsOptions>,
    says: string,
  ][] = [
    ['without a signature', undefined, {}, 'The value has no signature, so'],
    ['signed by someone else', 'another', {}, "neither the service's nor Mojang's, so"],
    [
      'signed by someone else, where no service tells a key',
      'another',
      { askedKey: async () => undefined },
      'No known key',
    ],
    ['when everything is made anew', 'game', { force: true }, 'You asked to make everything again, so'],
    ['when a cape is asked for', 'game', { cape: 'c'.repeat(32) }, 'does not prove the requested cape'],
  ];
  test.each(cases)('%s', async (_, who, options, says) => {
    const outcome = await judge(who && signatures[who], options);
    expect(outcome).toMatchObject({
      kind: 'remade',
      note: { code: 'made_from_texture', message: expect.stringContaining(says) },
    });
  });

  test('when other arms are requested', async () => {
    const outcome = await judge(signatures['game'], {}, { variant: 'classic' });
    expect(outcome).toMatchObject({ note: { message: expect.stringContaining('The skin is slim') } });
    expect(await judge(signatures['game'], {}, { variant: 'slim' })).toMatchObject({ kind: 'kept' });
  });

  test("when Mojang's newer keys are unavailable", async () => {
    const hasSigned = async () => await Promise.reject(new GameError('unreachable', 'away'));
    const away = new GameKeys({ known: [], hasSigned });
    expect(await judge(signatures['game'], { gameKeys: away })).toMatchObject({ kind: 'remade' });
  });
});

test('A bug is not a reason to make a skin from its texture', async () => {
  const hasSigned = async () => await Promise.reject(new TypeError('a bug'));
  const gameKeys = new GameKeys({ known: [], hasSigned });
  await expect(judge(signatures['another'], { gameKeys })).rejects.toThrow('a bug');
});

test("The service's key is requested once, and only if Mojang has not signed", async () => {
  const { given, asked } = skins();
  const ask = async (who: string) =>
    await given.judge({
      given: { value: VALUE, signature: signatures[who] },
      variant: 'auto',
      isOfService: false,
    });
  await ask('game');
  expect(asked()).toBe(0);
  await Promise.all([ask('service'), ask('another'), ask('service')]);
  expect(asked()).toBe(1);
});
