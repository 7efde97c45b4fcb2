import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { GameKeys } from '../../../src/batch/signers.ts';
import { GameError } from '../../../src/game/errors.ts';
import { signValue } from '../../../src/textures/signing-key.ts';

const [KNOWN, NEWER] = [key(), key()];

function key() {
  return generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
}

/** Keys of which one is at hand; `answer` is what the game says when it is asked. */
function keys(answer: () => boolean) {
  const asked: string[] = [];
  const hasSigned = async (value: string) => {
    asked.push(value);
    return answer();
  };
  return { asked, gameKeys: new GameKeys({ known: [createPublicKey(KNOWN)], hasSigned }) };
}

test('A known key verifies its signatures without a request', async () => {
  const { asked, gameKeys } = keys(() => false);
  expect(gameKeys.haveSignedByKnownKey('v', await signValue('v', KNOWN))).toBe(true);
  expect(gameKeys.haveSignedByKnownKey('v', await signValue('v', NEWER))).toBe(false);
  expect(gameKeys.include(createPublicKey(KNOWN))).toBe(true);
  expect(gameKeys.include(createPublicKey(NEWER))).toBe(false);
  expect(asked).toEqual([]);
});

test.each([true, false])("For any other signature, Mojang's keys are requested: %s", async (answer) => {
  const { asked, gameKeys } = keys(() => answer);
  expect(await gameKeys.haveSigned('v', await signValue('v', NEWER))).toBe(answer);
  expect(asked).toEqual(['v']);
});

test('If Mojang does not respond, it gets no further requests, and only known keys count', async () => {
  const { asked, gameKeys } = keys(() => {
    throw new GameError('unreachable', 'It does not answer.');
  });
  const signature = await signValue('v', KNOWN);
  expect(await gameKeys.haveSigned('v', signature)).toBeUndefined();
  expect(await gameKeys.haveSigned('v', signature)).toBe(true);
  expect(await gameKeys.haveSigned('v', await signValue('v', NEWER))).toBeUndefined();
  expect(asked).toEqual(['v']);
});

test('Without the network, Mojang is never asked', async () => {
  const { asked, gameKeys } = keys(() => true);
  const offline = gameKeys.offline();
  expect(await offline.haveSigned('v', await signValue('v', NEWER))).toBeUndefined();
  expect(await offline.haveSigned('v', await signValue('v', KNOWN))).toBe(true);
  expect(asked).toEqual([]);
});

test('A bug is not reported as an unreachable Mojang', async () => {
  const bug = new TypeError('x is undefined');
  const { gameKeys } = keys(() => {
    throw bug;
  });
  await expect(gameKeys.haveSigned('v', 's')).rejects.toBe(bug);
});
