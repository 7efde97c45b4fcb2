import { setTimeout as sleep } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import { type Game, type GameOptions, openGame } from '../../../src/game/game.ts';
import { FakeGame } from './fake-game.ts';
import type { FakeGameOptions } from './options.ts';

/** The game's services, closed when the test ends. They sign with the key of all tests. */
export async function runGame(options: FakeGameOptions = {}): Promise<FakeGame> {
  const fake = await FakeGame.start({ signingKeyPath: inject('signingKeyPath'), ...options });
  onTestFinished(async () => {
    await fake.close();
    await sleep(0); // its handle lives one turn of the event loop longer
  });
  return fake;
}

/** The same with someone who calls them. */
export async function callGame(
  options: FakeGameOptions = {},
  gameOptions: GameOptions = {},
): Promise<{ fake: FakeGame; game: Game }> {
  const fake = await runGame(options);
  const game = openGame({ addresses: fake.addresses, ...gameOptions });
  onTestFinished(async () => await game.close());
  return { fake, game };
}
