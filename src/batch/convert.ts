import type { SkinClient } from '../client/skin-client.ts';
import { systemClock } from '../clock.ts';
import type { GameAddresses } from '../game/addresses.ts';
import { openGame } from '../game/game.ts';
import type { BatchSummary } from './events.ts';
import type { BatchOptions } from './options.ts';
import { GameKeys } from './proof/game-keys.ts';
import { runBatch } from './run-batch.ts';
import { PlayerNames } from './sources/player-names.ts';
import { openSources } from './sources/sources.ts';
import type { BatchSource } from './types.ts';

/** What is to be converted, and how. See `BatchOptions` for what is left out here. */
export interface ConvertOptions extends Omit<BatchOptions, 'sources' | 'service' | 'game'> {
  readonly client: SkinClient;
  /** Paths of PNG files and folders, URLs, data URLs, players by UUID or name; or sources of your own making. */
  readonly sources: readonly string[] | AsyncIterable<BatchSource>;
  /** Take the folders in folders, too. */
  readonly recursive?: boolean;
  /** Patterns, as in a .gitignore, of what to leave out of folders. */
  readonly ignore?: readonly string[];
  /** Where the game's services are, which know players by name, if elsewhere than always. */
  readonly gameAddresses?: Partial<GameAddresses>;
}

/**
 * Makes a skin from each source, as fast as the caller's limits allow, and proves each result. What the lockfile
 * holds is not made again; killed at any moment, the same call goes on. Results come to `deliver` and `onEvent`;
 * one source that fails does not stop the others.
 * @throws BatchSetupError when it cannot begin, LockfileError, and the client's errors that concern all sources
 * @example
 * await convert({
 *   client,
 *   sources: ['skins'],
 *   recursive: true,
 *   stateDir: '.skinsmith',
 *   lockfile: path.resolve('skins.lock'),
 *   deliver: ({ stem, skin }) => skin && console.log(stem, skin.value, skin.signature),
 * });
 */
export async function convert(options: ConvertOptions): Promise<BatchSummary> {
  const { client, sources, recursive = false, ignore = [], gameAddresses, ...rest } = options;
  const roots = { cwd: process.cwd(), stdin: () => process.stdin };
  const stream = isList(sources)
    ? openSources({ args: sources, from: [], recursive, ignore }, roots)
    : sources;
  const service = { name: client.baseUrl, caller: client.caller, connect: async () => client };
  const game = openGame(gameAddresses && { addresses: gameAddresses });
  const known = {
    players: new PlayerNames(game.names, rest.clock ?? systemClock),
    keys: new GameKeys(game.keys),
  };
  try {
    return await runBatch({
      purpose: JSON.stringify(sources),
      ...rest,
      sources: stream,
      service,
      game: known,
    });
  } finally {
    await game.close();
  }
}

function isList(sources: ConvertOptions['sources']): sources is readonly string[] {
  return Array.isArray(sources);
}
