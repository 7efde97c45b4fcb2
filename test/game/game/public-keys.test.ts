import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedByAny, SHIPPED_KEYS } from '../../../src/game/game.ts';
import { fetchSignedProfile } from '../../../src/game/profiles.ts';
import { fingerprintOf, parsePublicKey } from '../../../src/textures/signing-key.ts';
import published from '../../fixtures/textures/published.json' with { type: 'json' };
import { scriptedServer } from '../../support/client/scripted-server.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { gameErrorOf } from '../../support/game/told.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';

const { publicKey, value, signature } = published;

const KEYS = 'GET /';
const listOf = (...keys: string[]) => ({ profilePropertyKeys: keys.map((key) => ({ publicKey: key })) });
const DAY = 86_400_000;

/** Someone who verifies, by these lists one after the other. */
async function withLists(answers: readonly object[]) {
  const { url, seen } = await scriptedServer(answers.map((answer) => ({ expect: KEYS, ...answer })));
  const clock = new MovableClock();
  const { game, fake } = await callGame({}, { addresses: { publicKeys: url }, clock, shippedKeys: [] });
  return { keys: game.keys, seen, clock, fake };
}

describe('A signature', () => {
  test('that Mojang published verifies with the key that it published', async () => {
    const { keys } = await withLists([{ json: listOf(publicKey) }]);
    expect(await keys.hasSigned(value, signature)).toBe(true);
    expect(await keys.hasSigned(`${value}AAAA`, signature)).toBe(false);
    expect(await keys.hasSigned(value, 'not a signature')).toBe(false);
  });

  test('verifies with any of the keys, which are requested once', async () => {
    const { fake, game } = await callGame();
    const { id } = fake.addPlayer();
    const profile = await fetchSignedProfile(game.http, id);
    const checks = [1, 2, 3].map(() => game.keys.hasSigned(profile.value, profile.signature));
    expect(await Promise.all(checks)).toEqual([true, true, true]);
    expect(fake.calls.filter(({ kind }) => kind === 'keys')).toHaveLength(1);
  });

  test('that is forged does not verify', async () => {
    const { fake, game } = await callGame();
    const { id } = fake.addPlayer();
    fake.order({ fault: { kind: 'forged' } });
    const profile = await fetchSignedProfile(game.http, id);
    expect(await game.keys.hasSigned(profile.value, profile.signature)).toBe(false);
  });
});

describe('The keys that ship with the program', () => {
  test('are the ones that Mojang publishes', () => {
    expect(SHIPPED_KEYS.map((key) => fingerprintOf(parsePublicKey(key)))).toEqual([
      // of yggdrasil_session_pubkey.der, as the game itself ships it
      '4a3f31581c5b9bce0e53dd79a98d2da53fa5e116c3a16c3c36db991f152b2554',
    ]);
  });

  test('verify what Mojang published, without a request', async () => {
    const { game, fake } = await callGame();
    expect(await game.keys.hasSigned(value, signature)).toBe(true);
    expect(fake.calls).toEqual([]);
  });

  test("do not verify random bytes, and Mojang's newer keys are requested", async () => {
    const { game, fake } = await callGame();
    expect(await game.keys.hasSigned(value, randomBytes(512).toString('base64'))).toBe(false);
    expect(fake.calls.map(({ kind }) => kind)).toEqual(['keys']);
  });

  test('are available from the start, and later together with the keys of the downloaded list', async () => {
    const { game, fake } = await callGame();
    expect(game.keys.known).toHaveLength(1);
    const { id } = fake.addPlayer();
    const profile = await fetchSignedProfile(game.http, id);
    await game.keys.hasSigned(profile.value, profile.signature);
    expect(isSignedByAny(game.keys.known, profile.value, profile.signature)).toBe(true);
  });
});

describe("The keys in the game's list", () => {
  test('are requested again after their time', async () => {
    const { keys, seen, clock } = await withLists([{ json: listOf(publicKey) }, { json: listOf(publicKey) }]);
    await keys.hasSigned(value, signature);
    clock.forward(DAY - 1);
    await keys.hasSigned(value, signature);
    expect(seen).toHaveLength(1);
    clock.forward(1);
    expect(await keys.hasSigned(value, signature)).toBe(true);
    expect(seen).toHaveLength(2);
  });

  test('are requested again after an unknown signature, but not after each one', async () => {
    const { fake } = await callGame();
    const answers = [{ json: listOf(fake.publicKey) }, { json: listOf(fake.publicKey, publicKey) }];
    const { keys, seen, clock } = await withLists(answers);
    expect([await keys.hasSigned(value, signature), await keys.hasSigned(value, signature)]).toEqual([
      false,
      false,
    ]);
    expect(seen).toHaveLength(1);
    clock.forward(60_000);
    expect(await keys.hasSigned(value, signature)).toBe(true);
  });

  test('that are old are used if no newer ones arrive, and not requested each time', async () => {
    const { keys, seen, clock } = await withLists([
      { json: listOf(publicKey) },
      { status: 503, text: '<html>' },
    ]);
    await keys.hasSigned(value, signature);
    clock.forward(2 * DAY);
    expect(await keys.hasSigned(value, signature)).toBe(true);
    expect(await keys.hasSigned(value, signature)).toBe(true);
    expect(seen).toHaveLength(2);
  });

  test.each([
    ['cannot be had', { status: 403, text: '' }, 'forbidden'],
    ['are none', { json: listOf() }, 'unexpected'],
    ['are no keys', { json: listOf('AAAA') }, 'unexpected'],
    ['are a page', { text: '<html></html>' }, 'unexpected'],
  ])('%s: this is an error, and the next call asks again', async (_, answer, kind) => {
    const { keys } = await withLists([answer, { json: listOf(publicKey) }]);
    expect((await gameErrorOf(keys.hasSigned(value, signature))).kind).toBe(kind);
    expect(await keys.hasSigned(value, signature)).toBe(true);
  });
});
