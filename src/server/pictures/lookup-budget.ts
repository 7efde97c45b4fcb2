import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import { MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../fairness/sliding-window.ts';

/** Half of what the game allows a server: the other half stays for making skins. */
const PER_MINUTE = 27;
/** Milliseconds without look-ups after one that the game did not answer, unless it names a longer time. */
const REST = 30_000;

/** How often the game may be asked for the players of pictures, by all callers together. */
export class LookupBudget {
  readonly #clock: Clock;
  #spent: Spent = [];
  /** Monotonic. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
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
    const isSpent = roomAt(this.#spent, MINUTE, PER_MINUTE, now) > now;
    if (isSpent || this.#clock.monotonic() < this.#restsUntil) {
      throw new GameError('rate_limited', 'The game is not asked for more players of pictures for now.');
    }
    this.#spent = spendOne(this.#spent, MINUTE, now);
  }
}
