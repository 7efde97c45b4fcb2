import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { proveData } from '../../../../../src/server/generators/upstream/results.ts';
import { pixelHash } from '../../../../../src/skin/read-skin.ts';
import { buildTexturesValue } from '../../../../../src/textures/property.ts';
import { signValue } from '../../../../../src/textures/signing-key.ts';
import { drawSkin, skinPng } from '../../../../support/server/drawn-skins.ts';

const URL_OF_IT = 'http://textures.example.org/1';
let keys: KeyObject[];

beforeAll(() => {
  keys = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey);
});

interface Twist {
  readonly variant?: 'classic' | 'slim';
  readonly shows?: number;
  readonly png?: Uint8Array;
  readonly value?: string;
  readonly skin?: undefined;
  /** Number of the key that the service shows at first, and of the one it shows later. */
  readonly shown?: number;
  readonly later?: number;
}

async function prove(twist: Twist): Promise<string> {
  const { variant = 'classic', shows = 1, shown, later } = twist;
  const skin = 'skin' in twist ? {} : { skin: { url: URL_OF_IT, variant } };
  const about = { timestamp: 1, profileId: '0'.repeat(32), profileName: 'it' };
  const value = twist.value ?? buildTexturesValue({ ...about, ...skin });
  const signature = await signValue(value, keys[0]!);
  const publicKey = (n: number | undefined) => (n === undefined ? undefined : createPublicKey(keys[n]!));
  const texture = {
    identity: 'i',
    hash: pixelHash(drawSkin(1)),
    variant: 'classic',
    owner: 'user:ann',
    capeHash: null,
    visibility: 'public',
  } as const;
  return await proveData({ value, signature }, texture, {
    publicKey: publicKey(shown),
    freshKey: async () => publicKey(later),
    texture: async () => twist.png ?? skinPng(shows),
  });
}

describe('Skin data from the upstream service', () => {
  test.each<[string, Twist]>([
    ['with no key known', {}],
    ['with the right key', { shown: 0 }],
    ['with a key that the service has changed to', { shown: 1, later: 0 }],
  ])('is good %s', async (_, twist) => {
    expect(await prove(twist)).toBe(URL_OF_IT);
  });

  test.each<[string, Twist, RegExp]>([
    ['for other arms', { variant: 'slim' }, /slim, but classic was requested/],
    ['of another picture', { shows: 2 }, /skin of another picture/],
    ['of no picture', { png: Buffer.from('<html>') }, /does not serve a skin/],
    ['that cannot be read', { value: 'AAAA' }, /invalid skin data: The .*value/],
    ['without a texture', { skin: undefined }, /contains no skin/],
    ['signed with another key than is shown', { shown: 1, later: 1 }, /signature is neither/],
  ])('is refused: %s', async (_, twist, message) => {
    await expect(prove(twist)).rejects.toMatchObject({
      code: 'invalid_skin_data',
      message: expect.stringMatching(message),
    });
  });
});
