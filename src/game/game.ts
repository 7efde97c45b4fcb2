import { type Clock, systemClock } from '../base/clock.ts';
import { openSender, type Proxies, type Sender } from '../base/proxies.ts';
import { GAME_ADDRESSES, type GameAddresses } from './addresses.ts';
import { GameHttp } from './http.ts';
import { NameLookups } from './names.ts';
import { Pacing, type PacingOptions } from './pacing.ts';
import { PublicKeys, type PublicKeysOptions } from './public-keys.ts';

export interface GameOptions extends Omit<PacingOptions, 'clock'>, PublicKeysOptions {
  /** Addresses that differ from the game's own. */
  readonly addresses?: Partial<GameAddresses>;
  /** Timeout per request, milliseconds; default 15,000. */
  readonly timeout?: number;
  readonly clock?: Clock;
  /** Sends the requests; its owner closes it. Default: one of its own, through the proxies. */
  readonly sender?: Pick<Sender, 'request'> | undefined;
  readonly proxies?: Proxies | undefined;
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
  let own: Promise<Sender> | undefined;
  const sender = async () => {
    if (options.sender) return options.sender;
    own ??= openSender(options.proxies); // loads its package: many commands have the game at hand but ask it nothing
    return await own;
  };
  const pacing = new Pacing({ ...options, clock });
  const http = new GameHttp({ addresses, sender, clock, pacing, timeout });
  const close = async () => await (await own)?.close();
  return { http, keys: new PublicKeys(http, options), names: new NameLookups(http), close };
}
