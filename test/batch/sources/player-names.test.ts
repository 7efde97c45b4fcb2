import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { BedrockPlayers, PlayerNames } from '../../../src/batch/sources/player-names.ts';
import { fakeClock } from '../../support/client/fake-clock.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';

const NEVER = new AbortController().signal;

async function directory<C extends Clock>(count: number, clock: C) {
  const { fake, game } = await callGame({}, { rules: { names: { burst: 1_000, interval: 1 } } });
  const players = Array.from({ length: count }, (_, at) =>
    fake.addPlayer({ name: `Player_${at}`, skin: { picture: drawSkin(at) } }),
  );
  return { fake, players, names: new PlayerNames(game.names, clock), clock };
}

test('Names that are needed later are requested with the first, ten at a time, and each once', async () => {
  const { fake, players, names } = await directory(25, fakeClock());
  for (const { name } of players) names.expect(name.toLowerCase());
  for (const { id, name } of players) {
    expect(await names.uuidOf({ user: name.toLowerCase() }, NEVER)).toBe(id);
    expect(await names.uuidOf({ user: name.toLowerCase() }, NEVER)).toBe(id);
  }
  expect(fake.calls.map(({ kind }) => kind)).toEqual(['names', 'names', 'names']);
});

test('A name that no player has is a problem of the source; the message tells if the name was a guess', async () => {
  const { names } = await directory(0, fakeClock());
  await expect(names.uuidOf({ user: 'nobody' }, NEVER)).rejects.toMatchObject({
    code: 'invalid_user',
    message: 'There is no player called nobody.',
  });
  const guess = { user: 'nobody', typed: 'NoBody', isGuess: true };
  await expect(names.uuidOf(guess, NEVER)).rejects.toThrow('No file, folder or player is called NoBody');
});

test('A failing Mojang is asked again after the time that it names, and not forever', async () => {
  const { fake, players, names, clock } = await directory(1, fakeClock());
  const wanted = { user: String(players[0]?.name) };
  fake.order({ fault: { kind: 'broken' }, on: ['names'] });
  expect(await names.uuidOf(wanted, NEVER)).toBe(players[0]?.id);
  expect(clock.sleeps).toEqual([1_000]);
  const other = await directory(1, fakeClock());
  other.fake.order({ fault: { kind: 'broken' }, on: ['names'], times: 9 });
  const message = expect.stringContaining('could not be looked up: ');
  await expect(other.names.uuidOf(wanted, NEVER)).rejects.toMatchObject({
    code: 'game_unreachable',
    isPassing: true,
    message,
  });
  expect(other.clock.sleeps).toEqual([1_000, 2_000, 4_000]);
});

test('Aborting ends the wait for player names', async () => {
  const { fake, players, names } = await directory(1, systemClock);
  fake.order({ fault: { kind: 'broken' }, on: ['names'] });
  const stop = AbortSignal.timeout(50);
  const asked = names.uuidOf({ user: String(players[0]?.name) }, stop);
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
});

describe('A player of Bedrock Edition', () => {
  const ann = { player: 'ann', typed: 'Ann' };

  test('is looked up once, with the data that Mojang signed', async () => {
    const { fake, game } = await callGame();
    fake.geyser.add({ gamertag: 'Ann', xuid: '2535432196048835', skin: { picture: drawSkin(1) } });
    const players = new BedrockPlayers(game.http, fakeClock());
    const [one, other] = await Promise.all([players.skinOf(ann, NEVER), players.skinOf(ann, NEVER)]);
    expect(one).toEqual({ value: expect.stringMatching(/^e/), signature: expect.stringMatching(/=$/) });
    expect(other).toBe(one);
    expect(fake.calls.map(({ kind }) => kind)).toEqual(['xuid', 'bedrock_skin']);
  });

  test('that is unknown, or never joined through Geyser, is a problem of the source and asked for once', async () => {
    const { fake, game } = await callGame();
    const players = new BedrockPlayers(game.http, fakeClock());
    await expect(players.skinOf(ann, NEVER)).rejects.toMatchObject({
      code: 'invalid_user',
      message: 'No Bedrock player is called Ann.',
    });
    fake.geyser.add({ gamertag: 'Bob', xuid: '2535432196048835' });
    await expect(players.skinOf({ player: 'bob', typed: 'Bob' }, NEVER)).rejects.toMatchObject({
      code: 'no_bedrock_skin',
      hint: expect.stringContaining('joined a Java server through Geyser'),
    });
    expect(fake.calls).toHaveLength(3);
  });

  test('is asked for again where the service fails, and not forever', async () => {
    const { fake, game } = await callGame();
    fake.geyser.add({ gamertag: 'Ann', xuid: '2535432196048835', skin: { picture: drawSkin(1) } });
    fake.order({ fault: { kind: 'broken', status: 502 }, on: ['xuid'] });
    const clock = fakeClock();
    await new BedrockPlayers(game.http, clock).skinOf(ann, NEVER);
    expect(clock.sleeps).toEqual([1_000]);
    fake.order({ fault: { kind: 'garbled' }, on: ['bedrock_skin'], times: 9 });
    await expect(new BedrockPlayers(game.http, fakeClock()).skinOf(ann, NEVER)).rejects.toMatchObject({
      code: 'game_unreachable',
      isPassing: true,
    });
  });
});
