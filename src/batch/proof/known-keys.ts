import type { KeyObject } from 'node:crypto';
import { SkinsmithError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions } from '../../client/types.ts';
import { PublicKeyError, readServiceKey } from '../../dispatch/service-facts.ts';
import { GameError } from '../../game/errors.ts';
import { type Game, isSignedByAny } from '../../game/game.ts';
import type { PublicSigningKey } from '../signers.ts';

type PublishedKeys = Pick<Game['keys'], 'known' | 'hasSigned'>;

/**
 * Whether the game has signed a value. The keys shipped with the program verify nearly everything; for the rest,
 * newer ones are requested from the game, until a request fails.
 */
export class GameKeys {
  readonly #keys: PublishedKeys;
  #isAway: boolean;

  /** `isOffline`: the game is never asked. */
  constructor(keys: PublishedKeys, { isOffline = false }: { isOffline?: boolean } = {}) {
    this.#keys = keys;
    this.#isAway = isOffline;
  }

  /** The same keys, without asking the game for newer ones. */
  offline(): GameKeys {
    return new GameKeys(this.#keys, { isOffline: true });
  }

  /** By the available keys; false says nothing about newer ones. */
  haveSignedByKnownKey(value: string, signature: string): boolean {
    return isSignedByAny(this.#keys.known, value, signature);
  }

  /** Whether this is one of the game's available keys. */
  include(key: KeyObject): boolean {
    return this.#keys.known.some((known) => known.equals(key));
  }

  /** Undefined: no available key has signed it, and the game cannot be asked for newer ones. */
  async haveSigned(value: string, signature: string): Promise<boolean | undefined> {
    if (this.#isAway) return this.haveSignedByKnownKey(value, signature) || undefined;
    try {
      return await this.#keys.hasSigned(value, signature);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.#isAway = true;
      return undefined;
    }
  }
}

/** The key that a service publishes; undefined if it publishes none or cannot be asked. */
export async function signingKeyOf(
  client: SkinClient,
  call: CallOptions,
): Promise<PublicSigningKey | undefined> {
  try {
    const { publicKey, fingerprint } = await readServiceKey({ client, call });
    return publicKey && fingerprint !== undefined ? { publicKey, fingerprint } : undefined;
  } catch (error) {
    if (error instanceof SkinsmithError || error instanceof PublicKeyError) return undefined;
    throw error;
  }
}
