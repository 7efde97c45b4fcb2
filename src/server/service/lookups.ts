import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import { EvictingMap, MinuteTally } from '../fairness.ts';
import type { Holder, Shares } from '../pools.ts';

/**
 * Look-ups per minute. For players, half of what Mojang allows a server; the other half is for making skins. A page of
 * twenty heads shows all of them, with a key or without, because pictures are for everyone. For textures, no limit is
 * known; they may take at most a tenth of all requests. Joins have shares of their own: see `joinShares`.
 */
export const LOOKUPS = {
  players: { all: 27, strangers: 22, stranger: 20, known: 20 },
  textures: { all: 120, strangers: 90, stranger: 40, known: 40 },
  /** For players of Bedrock Edition, whom another service knows. */
  bedrock: { all: 27, strangers: 22, stranger: 20, known: 20 },
  /** For users who want a player name: whether it is that of a Minecraft account. */
  claims: { all: 9, strangers: 0, stranger: 0, known: 3 },
  /** For game servers that look up players through the service. Each server is one caller. */
  servers: { all: 27, strangers: 18, stranger: 9, known: 27 },
} as const satisfies Record<string, Shares>;

/** Joins of players per minute: the game has no known limit for them. */
export const JOINS_PER_MINUTE = 300;

/** Of the joins in a minute, all strangers together have two thirds, and one a tenth. */
export function joinShares(all: number): Shares {
  return { all, strangers: Math.ceil((all * 2) / 3), stranger: Math.ceil(all / 10), known: all };
}

/** Milliseconds without look-ups after a failed one, unless the game names a longer time. */
const REST = 30_000;
/** With more callers than this, those without counts are forgotten. */
const MAX_LOOKING_UP = 1_000;

/** Limits look-ups at Mojang's services, which strangers share with callers that the service knows. */
export class LookupBudget {
  readonly #clock: Clock;
  readonly #shares: Shares;
  readonly #rest: number;
  readonly #all = new MinuteTally();
  readonly #strangers = new MinuteTally();
  readonly #callers = new EvictingMap<MinuteTally>(MAX_LOOKING_UP);
  /** Monotonic. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  /** `rest`: 0 if a failed look-up delays no other one, apart from the pace of requests to the game. */
  constructor(clock: Clock, shares: Shares, rest = REST) {
    this.#clock = clock;
    this.#shares = shares;
    this.#rest = rest;
  }

  /**
   * @throws GameError `rate_limited` at once if the limits are reached, so that no other request waits @returns the
   * result of `ask`
   */
  during<T>(holder: Holder, ask: () => Promise<T>): Promise<T> {
    this.#spend(holder);
    return this.#ask(ask);
  }

  /** Whether another look-up of the holder would exceed the limits. */
  isSpent(holder: Holder): boolean {
    const now = this.#clock.now();
    return this.#limitsOf(holder, now).some(([tally, limit]) => tally.roomAt(limit, now) > now);
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#rest === 0) return await ask();
    try {
      return await ask();
    } catch (error) {
      if (error instanceof GameError && (error.kind === 'unreachable' || error.kind === 'rate_limited')) {
        this.#restsUntil = this.#clock.monotonic() + Math.max(this.#rest, error.retryAfter ?? 0);
      }
      throw error;
    }
  }

  #spend(holder: Holder): void {
    if (this.isSpent(holder) || this.#clock.monotonic() < this.#restsUntil) {
      throw new GameError('rate_limited', 'Too many look-ups of players; try again in a minute.');
    }
    const now = this.#clock.now();
    for (const [tally] of this.#limitsOf(holder, now)) tally.spend(now);
  }

  #limitsOf({ name, isKnown }: Holder, now: number): (readonly [tally: MinuteTally, limit: number])[] {
    const { all, strangers, stranger, known } = this.#shares;
    const own = this.#callers.ensure(
      name,
      () => new MinuteTally(),
      (tally) => tally.isIdle(now),
    );
    if (isKnown)
      return [
        [this.#all, all],
        [own, known],
      ];
    return [
      [this.#all, all],
      [this.#strangers, strangers],
      [own, stranger],
    ];
  }
}
