import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { signedBy } from '../../../../../src/server/service/skins/skins.ts';
import { signValue } from '../../../../../src/textures/signing-key.ts';

const OWN = 'https://skins.example.org';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A service that knows this key as one of the game's. */
const context = {
  game: { keys: { known: [createPublicKey(privateKey)] } },
  ownAddresses: () => [OWN],
} as unknown as Parameters<typeof signedBy>[0];

test('A signature of the game counts, wherever the texture is', async () => {
  const signature = await signValue('dmFsdWU=', privateKey);
  expect(signedBy(context, { value: 'dmFsdWU=', signature, url: `${OWN}/textures/a` })).toBe('game');
});

test('An address of the game alone says nothing, and one of this server names its own key', () => {
  const skin = { value: 'dmFsdWU=', signature: 'bm9uZQ==' };
  expect(signedBy(context, { ...skin, url: 'http://textures.minecraft.net/texture/a' })).toBe('other');
  expect(signedBy(context, { ...skin, url: `${OWN}/textures/a` })).toBe('server');
  expect(signedBy(context, { ...skin, url: `${OWN}.evil.example/textures/a` })).toBe('other');
});
