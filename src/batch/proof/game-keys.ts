import { GameError } from '../../game/errors.ts';

/** The keys that the game publishes. */
interface PublishedKeys {
  /** @throws GameError when they cannot be had */
  hasSigned(value: string, signature: string): Promise<boolean>;
}

/**
 * Whether the game has signed a value, as it has a player's own skin: services of our own hand those on. Once the
 * keys cannot be had they are not asked for again.
 */
export class GameKeys {
  readonly #keys: PublishedKeys;
  #isAway = false;

  constructor(keys: PublishedKeys) {
    this.#keys = keys;
  }

  /** Undefined: the game cannot be asked. */
  async haveSigned(value: string, signature: string): Promise<boolean | undefined> {
    if (this.#isAway) return undefined;
    try {
      return await this.#keys.hasSigned(value, signature);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.#isAway = true;
      return undefined;
    }
  }
}
