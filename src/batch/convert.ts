import { systemClock } from '../base/clock.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { GameAddresses } from '../game/addresses.ts';
import { openGame } from '../game/game.ts';
import { type BatchSource, Coverage } from './model.ts';
import type { BatchOptions, BatchSummary } from './options.ts';
import { runBatch } from './run/run-batch.ts';
import { GameKeys, signingKeyOf } from './signers.ts';
import { openSources } from './sources/arguments.ts';
import { BedrockPlayers, PlayerNames } from './sources/player-names.ts';
import { skinFinder } from './sources/supplied-skin.ts';

/** What to convert, and how. See `BatchOptions` for the rest. */
export interface ConvertOptions extends Omit<BatchOptions, 'sources' | 'service' | 'game'> {
  /** Submits and polls; it stays open. */
  readonly client: SkinClient;
  /**
   * Paths of PNG files and folders, URLs, data URLs, skins of the service by UUID, players by UUID or name, players of Bedrock Edition (`bedrock:Name`), skin data
   * (`value`, `value signature`, JSON with both, the path of a lockfile or JSON file); or sources of your own making.
   */
  readonly sources: readonly string[] | AsyncIterable<BatchSource>;
  /** Recurse into subfolders. */
  readonly recursive?: boolean;
  /** Patterns of files to skip in folders, as in a .gitignore. */
  readonly ignore?: readonly string[];
  /** Scale HD skins (128×128 and other multiples) down instead of refusing them. */
  readonly fit?: boolean;
  /** Addresses of the game's services, which resolve player names, if not the usual ones. */
  readonly gameAddresses?: Partial<GameAddresses>;
}

/**
 * Makes a skin from each source as fast as the caller's limits allow and proves each result. Skins in the
 * lockfile are not made again; after a kill at any moment, the same call resumes. Results go to `deliver` and
 * `onEvent`; a failed source does not stop the others.
 * @throws TypeError for `sources` of another kind, BatchSetupError when it cannot start, LockfileError, and client errors that affect all sources
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
  const { client, sources, recursive = false, ignore = [], fit = false, gameAddresses, ...rest } = options;
  const coverage = new Coverage();
  const roots = { cwd: process.cwd(), stdin: () => process.stdin, coverage };
  mustBeSources(sources);
  const stream = isList(sources)
    ? openSources({ args: sources, from: [], recursive, ignore, fit }, roots)
    : sources;
  const service = {
    name: client.baseUrl,
    caller: client.caller,
    connect: async () => client,
    signingKey: async () => await signingKeyOf(client, { signal: rest.signal }),
    findSkin: skinFinder(async () => client, { signal: rest.signal }),
  };
  const game = openGame(gameAddresses && { addresses: gameAddresses });
  const { clock = systemClock } = rest;
  const known = {
    players: new PlayerNames(game.names, clock),
    bedrock: new BedrockPlayers(game.http, clock),
    keys: new GameKeys(game.keys),
  };
  try {
    return await runBatch({
      purpose: JSON.stringify(sources),
      coverage,
      ...rest,
      sources: stream,
      service,
      game: known,
    });
  } finally {
    await game.close();
  }
}

/** A program in plain JavaScript may pass one path, or a list of sources of its own making. */
function mustBeSources(sources: unknown): void {
  const isOfStrings = Array.isArray(sources) && sources.every((source) => typeof source === 'string');
  const { [Symbol.asyncIterator]: iterate } = Object(sources) as Partial<AsyncIterable<unknown>>;
  if (!isOfStrings && typeof iterate !== 'function')
    throw new TypeError('sources: is neither a list of strings nor an async iterable of sources');
}

function isList(sources: ConvertOptions['sources']): sources is readonly string[] {
  return Array.isArray(sources);
}
