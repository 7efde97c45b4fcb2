import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { PlayerNames } from '../../../src/batch/sources/player-names.ts';
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
    message: 'The game has no player called nobody.',
  });
  const guess = { user: 'nobody', typed: 'NoBody', isGuess: true };
  await expect(names.uuidOf(guess, NEVER)).rejects.toThrow('No file, folder or player is called NoBody');
});

test('A failing game gets further requests as late as it wants, and not forever', async () => {
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

test('Aborting ends the wait', async () => {
  const { fake, players, names } = await directory(1, systemClock);
  fake.order({ fault: { kind: 'broken' }, on: ['names'] });
  const stop = AbortSignal.timeout(50);
  const asked = names.uuidOf({ user: String(players[0]?.name) }, stop);
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
});
