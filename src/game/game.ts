import type { Dispatcher } from 'undici';
import { type Clock, systemClock } from '../base/clock.ts';
import { GAME_ADDRESSES, type GameAddresses } from './addresses.ts';
import { GameHttp } from './http.ts';
import { NameLookups } from './name-lookups.ts';
import { Pacing, type PacingOptions } from './pacing.ts';
import { PublicKeys, type PublicKeysOptions } from './public-keys.ts';

export interface GameOptions extends Omit<PacingOptions, 'clock'>, PublicKeysOptions {
  /** Addresses that differ from the game's own. */
  readonly addresses?: Partial<GameAddresses>;
  /** Timeout per request, milliseconds; default 15,000. */
  readonly timeout?: number;
  readonly clock?: Clock;
  /** Its owner closes it; by default the game has its own. */
  readonly dispatcher?: Dispatcher;
}

/** The game's services for one caller: use a single instance per server, so that its pacing sees all requests. */
export interface Game {
  readonly http: GameHttp;
  readonly keys: PublicKeys;
  readonly names: NameLookups;
  /** Ends idle connections. */
  close(): Promise<void>;
}

const TIMEOUT = 15_000;

/** Sends no request yet. */
export function openGame(options: GameOptions = {}): Game {
  const { clock = systemClock, timeout = TIMEOUT } = options;
  const addresses = { ...GAME_ADDRESSES, ...options.addresses };
  let agent: Promise<Dispatcher> | undefined;
  const dispatcher = async () => {
    if (options.dispatcher) return options.dispatcher;
    agent ??= openAgent();
    return await agent;
  };
  const pacing = new Pacing({ ...options, clock });
  const http = new GameHttp({ addresses, dispatcher, clock, pacing, timeout });
  const close = async () => await (await agent)?.close();
  return { http, keys: new PublicKeys(http, options), names: new NameLookups(http), close };
}

/** Loads its package: many commands have the game's services at hand but ask them nothing. */
async function openAgent(): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent();
}
