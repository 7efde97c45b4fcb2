import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { isSignedBy, parsePublicKey } from '../textures/signature.ts';
import { GameError } from './errors.ts';
import type { GameHttp } from './http.ts';

const keysSchema = z.object({
  profilePropertyKeys: z
    .array(z.object({ publicKey: z.string().max(4096) }))
    .min(1)
    .max(32),
});

export interface PublicKeysOptions {
  /** Milliseconds that a list of keys is used before it is asked for again; a day unless given. */
  readonly timeToLive?: number;
  /** Milliseconds between two tries to get a list when there is one already; a minute unless given. */
  readonly pause?: number;
}

interface KeyList {
  readonly keys: readonly KeyObject[];
  /** By the monotonic clock. */
  readonly fetchedAt: number;
}

/** The keys that the game signs profiles with. They change next to never, so an old list is better than none. */
export class PublicKeys {
  readonly #http: GameHttp;
  readonly #timeToLive: number;
  readonly #pause: number;
  #triedAt = Number.NEGATIVE_INFINITY;
  #list: KeyList | undefined;
  #fetching: Promise<KeyList> | undefined;

  constructor(http: GameHttp, { timeToLive = 86_400_000, pause = 60_000 }: PublicKeysOptions = {}) {
    this.#http = http;
    this.#timeToLive = timeToLive;
    this.#pause = pause;
  }

  /** Whether the game signed this value. @throws GameError when its keys cannot be had and never could */
  async hasSigned(value: string, signature: string): Promise<boolean> {
    const list = await this.#current(this.#timeToLive);
    if (isSignedByAny(list, value, signature)) return true;
    // They may have changed meanwhile.
    const newer = await this.#current(0);
    return newer !== list && isSignedByAny(newer, value, signature);
  }

  /** A list younger than `age` milliseconds, or the last one when there is none to be had for now. */
  async #current(age: number): Promise<KeyList> {
    const last = this.#list;
    const now = this.#http.clock.monotonic();
    if (last && (now - last.fetchedAt < age || now - this.#triedAt < this.#pause)) return last;
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

function isSignedByAny({ keys }: KeyList, value: string, signature: string): boolean {
  return keys.some((key) => isSignedBy(key, value, signature));
}

function readKey(base64: string): KeyObject {
  try {
    const key = parsePublicKey(base64);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch (cause) {
    throw new GameError('unexpected', "One of the game's public keys cannot be read.", { cause });
  }
  throw new GameError('unexpected', "One of the game's public keys is not an RSA key.");
}
