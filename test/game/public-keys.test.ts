import { describe, expect, test } from 'vitest';
import { fetchSignedProfile } from '../../src/game/profiles.ts';
import { scriptedServer } from '../client/scripted-server.ts';
import { callGame } from '../fake-game/run-game.ts';
import published from '../fixtures/textures/published.json' with { type: 'json' };
import { MovableClock } from '../server/movable-clock.ts';
import { gameErrorOf } from './told.ts';

const { publicKey, value, signature } = published;

const KEYS = 'GET /';
const listOf = (...keys: string[]) => ({ profilePropertyKeys: keys.map((key) => ({ publicKey: key })) });
const DAY = 86_400_000;

/** Somebody who verifies, by these lists one after the other. */
async function withLists(answers: readonly object[]) {
  const { url, seen } = await scriptedServer(answers.map((answer) => ({ expect: KEYS, ...answer })));
  const clock = new MovableClock();
  const { game, fake } = await callGame({}, { addresses: { publicKeys: url }, clock });
  return { keys: game.keys, seen, clock, fake };
}

describe('A signature', () => {
  test('that the game published verifies with the key that it published', async () => {
    const { keys } = await withLists([{ json: listOf(publicKey) }]);
    expect(await keys.hasSigned(value, signature)).toBe(true);
    expect(await keys.hasSigned(`${value}AAAA`, signature)).toBe(false);
    expect(await keys.hasSigned(value, 'not a signature')).toBe(false);
  });

  test('verifies with any of the keys, which are asked for once', async () => {
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

describe("The game's keys", () => {
  test('are asked for again after their time', async () => {
    const { keys, seen, clock } = await withLists([{ json: listOf(publicKey) }, { json: listOf(publicKey) }]);
    await keys.hasSigned(value, signature);
    clock.forward(DAY - 1);
    await keys.hasSigned(value, signature);
    expect(seen).toHaveLength(1);
    clock.forward(1);
    expect(await keys.hasSigned(value, signature)).toBe(true);
    expect(seen).toHaveLength(2);
  });

  test('are asked for again because of an unknown signature, but not for each', async () => {
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

  test('that are old are used when there are none to be had, and not asked for at each turn', async () => {
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
  ])('%s: that is an error, and the next asks again', async (_, answer, kind) => {
    const { keys } = await withLists([answer, { json: listOf(publicKey) }]);
    expect((await gameErrorOf(keys.hasSigned(value, signature))).kind).toBe(kind);
    expect(await keys.hasSigned(value, signature)).toBe(true);
  });
});
