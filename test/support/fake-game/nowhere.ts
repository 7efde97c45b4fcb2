import { GAME_ADDRESSES, type GameAddresses } from '../../../src/game/addresses.ts';

/** Where nothing listens: no test may reach the game itself. */
export const NO_GAME = Object.fromEntries(
  Object.keys(GAME_ADDRESSES).map((name) => [name, 'http://127.0.0.1:1']),
) as unknown as GameAddresses;
