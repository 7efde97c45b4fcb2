import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { type Clock, systemClock } from '../base/clock.ts';
import { openSender, type Proxies, type Sender } from '../base/proxies.ts';
import { isSignedBy, parsePublicKey } from '../textures/signing-key.ts';
import { GAME_ADDRESSES, type GameAddresses } from './addresses.ts';
import { GameError } from './errors.ts';
import { GameHttp, Pacing, type PacingOptions } from './http.ts';
import { NameLookups } from './names.ts';

const keysSchema = z.object({
  profilePropertyKeys: z
    .array(z.object({ publicKey: z.string().max(4096) }))
    .min(1)
    .max(32),
});

/** Milliseconds before a list of keys is fetched again, and between two attempts to refresh an existing list. */
const TIME_TO_LIVE = 86_400_000;
const PAUSE = 60_000;

interface KeyList {
  readonly keys: readonly KeyObject[];
  /** By the monotonic clock. */
  readonly fetchedAt: number;
}

/**
 * The game's public keys for signed profiles. Some ship with the program; the game's own list is fetched when
 * they do not verify a signature. The keys hardly ever change, so an old list is better than none.
 */
class PublicKeys {
  readonly #http: GameHttp;
  readonly #shippedKeys: readonly string[];
  /** Parsed on first use: most commands verify nothing. */
  #shipped: readonly KeyObject[] | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #list: KeyList | undefined;
  #fetching: Promise<KeyList> | undefined;

  constructor(http: GameHttp, shippedKeys: readonly string[]) {
    this.#http = http;
    this.#shippedKeys = shippedKeys;
  }

  /** The available keys, without a request: the shipped ones and those of the last list. */
  get known(): readonly KeyObject[] {
    this.#shipped ??= this.#shippedKeys.map(readKey);
    return [...this.#shipped, ...(this.#list?.keys ?? [])];
  }

  /**
   * Whether the game signed this value. Fetches the list only if no shipped key verifies the signature.
   * @throws GameError when no key does and the list could never be fetched
   */
  async hasSigned(value: string, signature: string): Promise<boolean> {
    this.#shipped ??= this.#shippedKeys.map(readKey);
    if (isSignedByAny(this.#shipped, value, signature)) return true;
    const list = await this.#current(TIME_TO_LIVE);
    if (isSignedByAny(list.keys, value, signature)) return true;
    // They may have changed meanwhile.
    const newer = await this.#current(0);
    return newer !== list && isSignedByAny(newer.keys, value, signature);
  }

  /** A list younger than `age` milliseconds, or the last one if the request fails. */
  async #current(age: number): Promise<KeyList> {
    const last = this.#list;
    const now = this.#http.clock.monotonic();
    if (last && (now - last.fetchedAt < age || now - this.#triedAt < PAUSE)) return last;
    this.#triedAt = now;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    try {
      return await this.#fetching;
    } catch (error) {
      if (last && error instanceof GameError) return last;
      throw error;
    }
  }

  async #fetch(): Promise<KeyList> {
    const { profilePropertyKeys } = await this.#http.json({ service: 'keys' }, keysSchema);
    const keys = profilePropertyKeys.map(({ publicKey }) => readKey(publicKey));
    this.#list = { keys, fetchedAt: this.#http.clock.monotonic() };
    return this.#list;
  }
}

export function isSignedByAny(keys: readonly KeyObject[], value: string, signature: string): boolean {
  return keys.some((key) => isSignedBy(key, value, signature));
}

function readKey(base64: string): KeyObject {
  try {
    const key = parsePublicKey(base64);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch (cause) {
    throw new GameError('unexpected', "One of Mojang's public keys is invalid.", { cause });
  }
  throw new GameError('unexpected', "One of Mojang's public keys is not an RSA key.");
}

/**
 * The game's public keys for signed profile properties, as `profilePropertyKeys` of
 * https://api.minecraftservices.com/publickeys lists them and the game ships them itself
 * (yggdrasil_session_pubkey.der): SPKI, base64 DER.
 *
 * They verify signatures without a network. A key that the game adds later is learned from its list
 * (`PublicKeys`) and should be added here for the next release.
 */
export const SHIPPED_KEYS: readonly string[] = [
  [
    'MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEAylB4B6m5lz7jwrcFz6Fd/fnfUhcvlxsTSn5kIK/2aGG1C3kMy4Vj',
    'hwlxF6BFUSnfxhNswPjh3ZitkBxEAFY25uzkJFRwHwVA9mdwjashXILtR6OqdLXXFVyUPIURLOSWqGNBtb08EN5fMnG8iFLg',
    'EJIBMxs9BvF3s3/FhuHyPKiVTZmXY0WY4ZyYqvoKR+XjaTRPPvBsDa4WI2u1zxXMeHlodT3lnCzVvyOYBLXL6CJgByuOxccJ',
    '8hnXfF9yY4F0aeL080Jz/3+EBNG8RO4ByhtBf4Ny8NQ6stWsjfeUIvH7bU/4zCYcYOq4WrInXHqS8qruDmIl7P5XXGcabuzQ',
    'stPf/h2CRAUpP/PlHXcMlvewjmGU6MfDK+lifScNYwjPxRo4nKTGFZf/0aqHCh/EAsQyLKrOIYRE0lDG3bzBh8ogIMLAugsA',
    'fBb6M3mqCqKaTMAf/VAjh5FFJnjS+7bE+bZEV0qwax1CEoPPJL1fIQjOS8zj086gjpGRCtSy9+bTPTfTR/SJ+VUB5G2IeCIt',
    'kNHpJX2ygojFZ9n5Fnj7R9ZnOM+L8nyIjPu3aePvtcrXlyLhH/hvOfIOjPxOlqW+O5QwSFP4OEcyLAUgDdUgyW36Z5mB285u',
    'KW/ighzZsOTevVUG2QwDItObIV6i8RCxFbN2oDHyPaO5j1tTaBNyVt8CAwEAAQ==',
  ].join(''),
];

export interface GameOptions extends Omit<PacingOptions, 'clock'> {
  /** Keys known without a request, base64 DER. Default: those that ship with the program. */
  readonly shippedKeys?: readonly string[];
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
  const { clock = systemClock, timeout = TIMEOUT, shippedKeys = SHIPPED_KEYS } = options;
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
  return { http, keys: new PublicKeys(http, shippedKeys), names: new NameLookups(http), close };
}
