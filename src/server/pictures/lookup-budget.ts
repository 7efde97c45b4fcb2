import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import { MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../fairness/sliding-window.ts';

/**
 * Look-ups a minute. Of players, half of what the game allows a server: the other half stays for making skins. For
 * textures no limit is known; they may take a tenth of what is sent at most.
 */
export const LOOKUPS = { players: 27, textures: 120 } as const;
/** Milliseconds without look-ups after one that the game did not answer, unless it names a longer time. */
const REST = 30_000;

/** How often the game may be asked for what pictures show, by all callers together. */
export class LookupBudget {
  readonly #clock: Clock;
  readonly #perMinute: number;
  #spent: Spent = [];
  /** Monotonic. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** @throws GameError `rate_limited` if the game should not be asked now; whatever `ask` throws */
  async during<T>(ask: () => Promise<T>): Promise<T> {
    this.#spend();
    try {
      return await ask();
    } catch (error) {
      if (error instanceof GameError && (error.kind === 'unreachable' || error.kind === 'rate_limited')) {
        this.#restsUntil = this.#clock.monotonic() + Math.max(REST, error.retryAfter ?? 0);
      }
      throw error;
    }
  }

  #spend(): void {
    const now = this.#clock.now();
    this.#spent = stillSpent(this.#spent, MINUTE, now);
    const isSpent = roomAt(this.#spent, MINUTE, this.#perMinute, now) > now;
    if (isSpent || this.#clock.monotonic() < this.#restsUntil) {
      throw new GameError('rate_limited', 'The game is not asked for more pictures for now.');
    }
    this.#spent = spendOne(this.#spent, MINUTE, now);
  }
}
