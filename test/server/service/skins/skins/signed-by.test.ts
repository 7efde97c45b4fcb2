import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { signedBy } from '../../../../../src/server/service/skins/skins.ts';
import { signValue } from '../../../../../src/textures/signing-key.ts';

const games = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const own = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const VALUE = 'dmFsdWU=';
const HERE = 'http://skins.example/textures/1';
const ELSEWHERE = 'http://other.example/textures/1';

/** A service that knows one of the game's keys. */
function contextWith(ownKey: KeyObject | undefined) {
  const game = { keys: { known: [createPublicKey(games)] } };
  return {
    game,
    ownKey: async () => ownKey && createPublicKey(ownKey),
    ownAddresses: () => ['http://skins.example'],
  } as unknown as Parameters<typeof signedBy>[0];
}

test.each([
  ['A signature of the game', games, own, ELSEWHERE, 'game'],
  ['A signature of the game at a service that has made no key yet', games, undefined, ELSEWHERE, 'game'],
  ["A signature of the service's own key", own, own, HERE, 'server'],
  ["A signature of the service's own key from another address", own, own, ELSEWHERE, 'server'],
  ['A signature of a key that the service no longer has', own, undefined, HERE, 'earlier'],
  ['A signature of an unknown key over a texture elsewhere', own, undefined, ELSEWHERE, 'other'],
] as const)('%s shows who signed the skin', async (_, signer, ownKey, url, wanted) => {
  const signature = await signValue(VALUE, signer);
  expect(await signedBy(contextWith(ownKey), { value: VALUE, signature, url })).toBe(wanted);
});

test('A signature of other data counts as that of another service', async () => {
  const signature = await signValue('b3RoZXI=', own);
  expect(await signedBy(contextWith(own), { value: VALUE, signature, url: ELSEWHERE })).toBe('other');
});
