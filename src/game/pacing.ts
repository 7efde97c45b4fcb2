import type { Clock } from '../base/clock.ts';
import { GameError } from './errors.ts';

/** The services that are paced separately: the game's limits differ by host and path. */
export type GameService =
  | 'session'
  | 'names'
  | 'account'
  | 'textures'
  | 'keys'
  | 'microsoft'
  | 'xbox'
  | 'xsts'
  | 'login';

/** A token bucket: each request takes one token. */
export interface PaceRule {
  /** Capacity in tokens. */
  readonly burst: number;
  /** Milliseconds per new token. */
  readonly interval: number;
}

/**
 * The game's known limits per caller address. Session and names: 200 in two minutes by the newer documentation, 600
 * in ten by the older; 60 and then 54 a minute keep both. Account: the hosted service limits itself to 8 in 30
 * seconds. For textures (a content network), keys and sign-in no limit is known.
 */
export const GAME_PACE: Readonly<Record<GameService, PaceRule>> = {
  session: { burst: 60, interval: 1_111 },
  names: { burst: 60, interval: 1_111 },
  account: { burst: 8, interval: 3_750 },
  textures: { burst: 100, interval: 50 },
  keys: { burst: 4, interval: 15_000 },
  microsoft: { burst: 20, interval: 1_000 },
  xbox: { burst: 10, interval: 2_000 },
  xsts: { burst: 10, interval: 2_000 },
  login: { burst: 5, interval: 5_000 },
};

export interface PacingOptions {
  readonly clock: Clock;
  /** Replaces `GAME_PACE`. Servers behind one address share its limits: give each server its part. */
  readonly rules?: Partial<Readonly<Record<GameService, PaceRule>>>;
  /** Maximum milliseconds a request waits for its turn; default 30,000. */
  readonly maxWait?: number;
  /** Maximum requests waiting for one service; default 100. */
  readonly maxWaiting?: number;
}

/** One service's bucket. Times are of the monotonic clock. */
interface Lane {
  readonly rule: PaceRule;
  /** When the bucket is full again if no one takes a token. */
  fullAt: number;
  /** No request is sent before this. */
  heldUntil: number;
  waiting: number;
}

/**
 * Paces requests to the game's limits, first come first served. Own code, because rate-limiter-flexible reads
 * the system's clock, cannot leave its queue when a signal aborts, and does not support a pause requested by the
 * other side.
 */
export class Pacing {
  readonly #clock: Clock;
  readonly #maxWait: number;
  readonly #maxWaiting: number;
  readonly #lanes: ReadonlyMap<GameService, Lane>;

  constructor({ clock, rules = {}, maxWait = 30_000, maxWaiting = 100 }: PacingOptions) {
    this.#clock = clock;
    this.#maxWait = maxWait;
    this.#maxWaiting = maxWaiting;
    const services = Object.keys(GAME_PACE) as GameService[];
    this.#lanes = new Map(services.map((name) => [name, openLane(rules[name] ?? GAME_PACE[name])]));
  }

  /**
   * Resolves when a request may be sent.
   * @throws GameError `rate_limited` without a status, at once, if the wait would be too long; the signal's reason
   */
  async turn(service: GameService, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const deadline = this.#clock.monotonic() + this.#maxWait;
    // A pause that began while we waited invalidates our turn.
    while (!(await this.#waitForPlace(service, { deadline, signal })));
  }

  /** Sends no requests to the service for this many milliseconds, and then one after the other. */
  hold(service: GameService, milliseconds: number): void {
    const lane = this.#lanes.get(service)!;
    lane.heldUntil = Math.max(lane.heldUntil, this.#clock.monotonic() + milliseconds);
    lane.fullAt = Math.max(lane.fullAt, lane.heldUntil + slack(lane.rule));
  }

  /** Whether the turn, once reached, was valid. */
  async #waitForPlace(
    service: GameService,
    { deadline, signal }: { deadline: number; signal: AbortSignal | undefined },
  ): Promise<boolean> {
    const lane = this.#lanes.get(service)!;
    const now = this.#clock.monotonic();
    const place = Math.max(now, lane.fullAt - slack(lane.rule));
    const isFull = place > now && lane.waiting >= this.#maxWaiting;
    if (place > deadline || isFull) throw tooBusy(service, place - now);
    lane.fullAt = Math.max(lane.fullAt, now) + lane.rule.interval;
    if (place === now) return true;
    lane.waiting++;
    try {
      await this.#clock.sleep(place - now, signal);
    } catch (error) {
      lane.fullAt -= lane.rule.interval;
      throw error;
    } finally {
      lane.waiting--;
    }
    return lane.heldUntil <= place;
  }
}

function openLane(rule: PaceRule): Lane {
  return { rule, fullAt: 0, heldUntil: 0, waiting: 0 };
}

/** How long before it is full a bucket has its first token. */
function slack({ burst, interval }: PaceRule): number {
  return (burst - 1) * interval;
}

function tooBusy(service: GameService, wait: number): GameError {
  const retryAfter = Math.max(0, Math.ceil(wait));
  const message = `Too many requests to the game's services (${service}) are waiting for their turn.`;
  return new GameError('rate_limited', message, { retryAfter });
}
