import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import {
  type Allowance,
  EvictingMap,
  isWhole,
  MINUTE,
  refill,
  roomAt,
  type Spent,
  spendOne,
  stillSpent,
  untilAffordable,
} from '../fairness/rate-limits.ts';
import type { Caller } from '../service/callers/caller.ts';
import { waitRefusal } from '../service/limits/request-limiter.ts';
import type { Refusal } from '../service/refusal.ts';

/** Look-ups a minute: of all callers together, and of one. Pictures are for everybody, so no key gives anyone more. */
export interface LookupShares {
  readonly all: number;
  readonly one: number;
}

/**
 * For players, half of what the game allows a server: the other half stays for making skins. A page of twenty heads
 * shows all of them. For textures no limit is known; they may take a tenth of what is sent at most.
 */
export const LOOKUPS = {
  players: { all: 27, one: 20 },
  textures: { all: 120, one: 40 },
  /** For game servers that look players up through the service: a server is one caller. */
  servers: { all: 27, one: 27 },
} as const satisfies Record<string, LookupShares>;
/** Milliseconds without look-ups after one that the game did not answer, unless it names a longer time. */
const REST = 30_000;
/** Number of callers above which those without any counts are forgotten. */
const MAX_LOOKING_UP = 1_000;

/** Look-ups of the last minute that count towards one limit. */
class Tally {
  #spent: Spent = [];

  isIdle(now: number): boolean {
    this.#spent = stillSpent(this.#spent, MINUTE, now);
    return this.#spent.length === 0;
  }

  hasRoom(limit: number, now: number): boolean {
    return this.isIdle(now) || roomAt(this.#spent, MINUTE, limit, now) <= now;
  }

  spend(now: number): void {
    this.#spent = spendOne(this.#spent, MINUTE, now);
  }
}

/** How often the game may be asked for what pictures show: by all callers together, and by each of them. */
export class LookupBudget {
  readonly #clock: Clock;
  readonly #shares: LookupShares;
  readonly #rest: number;
  readonly #all = new Tally();
  readonly #callers = new EvictingMap<Tally>(MAX_LOOKING_UP);
  /** Monotonic. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, shares: LookupShares, rest = REST) {
    this.#clock = clock;
    this.#shares = shares;
    this.#rest = rest;
  }

  /**
   * @throws GameError `rate_limited` at once if the game should not be asked now, so that no other request waits for it
   * @returns what `ask` does
   */
  during<T>(caller: Caller, ask: () => Promise<T>): Promise<T> {
    this.#spend(caller);
    return this.#ask(ask);
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof GameError && (error.kind === 'unreachable' || error.kind === 'rate_limited')) {
        this.#restsUntil = this.#clock.monotonic() + Math.max(this.#rest, error.retryAfter ?? 0);
      }
      throw error;
    }
  }

  #spend(caller: Caller): void {
    const now = this.#clock.now();
    const limits = this.#limitsOf(caller, now);
    const isSpent = limits.some(([tally, limit]) => !tally.hasRoom(limit, now));
    if (isSpent || this.#clock.monotonic() < this.#restsUntil) {
      throw new GameError('rate_limited', 'Too many picture look-ups; try again in a minute.');
    }
    for (const [tally] of limits) tally.spend(now);
  }

  #limitsOf({ owner }: Caller, now: number): (readonly [tally: Tally, limit: number])[] {
    const own = this.#callers.ensure(
      owner,
      () => new Tally(),
      (tally) => tally.isIdle(now),
    );
    const { all, one } = this.#shares;
    return [
      [this.#all, all],
      [own, one],
    ];
  }
}

/** Pixels that count as one unit of the budget; smaller pictures count as one as well. */
const UNIT = 256 * 256;
/** Units a minute of one caller: 600 heads, or 37 of the largest pictures, which take two seconds to draw. */
const UNITS_PER_MINUTE = 600;
/** Number of callers above which those who have their whole budget are forgotten. */
const MAX_DRAWING = 10_000;

/** How much one caller may have drawn. Counts are per process. */
export class RenderBudget {
  readonly #clock: Clock;
  readonly #allowances = new EvictingMap<Allowance>(MAX_DRAWING);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Refusal `rate_limit` */
  spend(caller: Caller, { width, height }: { readonly width: number; readonly height: number }): void {
    const allowance = this.#allowanceOf(caller.owner);
    const cost = Math.ceil((width * height) / UNIT);
    const wait = untilAffordable(allowance, cost, UNITS_PER_MINUTE);
    if (wait > 0) throw this.#refusal(caller, wait);
    allowance.left -= cost;
  }

  #allowanceOf(owner: string): Allowance {
    const at = this.#clock.monotonic();
    const isIdle = (other: Allowance) => isWhole(other, at);
    const allowance = this.#allowances.ensure(owner, () => ({ left: UNITS_PER_MINUTE, at }), isIdle);
    refill(allowance, UNITS_PER_MINUTE, at);
    return allowance;
  }

  #refusal(caller: Caller, wait: number): Refusal {
    return waitRefusal('rate_limit', {
      message:
        'Too many pictures were drawn for this address in the last minute: wait, or ask for smaller ones.',
      caller,
      wait: Math.max(1_000, wait),
      now: this.#clock.now(),
    });
  }
}
