import type { Clock } from '../../base/clock.ts';
import { EvictingMap } from '../fairness/evicting-map.ts';
import type { Caller } from '../service/callers/caller.ts';
import { rateLimitOf } from '../service/limits/rate-limit.ts';
import { Refusal } from '../service/refusals/refusal.ts';

/** Pixels that count as one unit of the budget; smaller pictures count as one as well. */
const UNIT = 256 * 256;
/** Units a minute of one caller: 600 heads, or 37 of the largest pictures, which take two seconds to draw. */
const UNITS_PER_MINUTE = 600;
/** Number of callers above which those who have their whole budget are forgotten. */
const MANY_CALLERS = 10_000;
const MINUTE = 60_000;

interface Account {
  /** Units left as of `at` (monotonic); they come back with time. */
  left: number;
  at: number;
}

/** How much one caller may have drawn. Counts are per process. */
export class RenderBudget {
  readonly #clock: Clock;
  readonly #accounts = new EvictingMap<Account>(MANY_CALLERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Refusal `rate_limit` */
  spend(caller: Caller, { width, height }: { readonly width: number; readonly height: number }): void {
    const account = this.#accountOf(caller.owner);
    const cost = Math.ceil((width * height) / UNIT);
    if (account.left < cost) throw this.#refusal(caller, cost - account.left);
    account.left -= cost;
  }

  #accountOf(owner: string): Account {
    const at = this.#clock.monotonic();
    const isFull = (other: Account) => at - other.at >= MINUTE;
    const account = this.#accounts.ensure(owner, () => ({ left: UNITS_PER_MINUTE, at }), isFull);
    const back = ((at - account.at) * UNITS_PER_MINUTE) / MINUTE;
    account.left = Math.min(UNITS_PER_MINUTE, account.left + back);
    account.at = at;
    return account;
  }

  #refusal(caller: Caller, missing: number): Refusal {
    const now = this.#clock.now();
    const relative = Math.max(1_000, Math.ceil((missing * MINUTE) / UNITS_PER_MINUTE));
    const nothing = { owner: caller.owner, turn: 0, spentAt: 0, generatedAt: 0, minute: [], hour: [] };
    const rateLimit = rateLimitOf(nothing, caller, now);
    return new Refusal('rate_limit', {
      message:
        'Too many pictures were drawn for this address in the last minute: wait, or ask for smaller ones.',
      rateLimit: { ...rateLimit, next: { absolute: now + relative, relative } },
    });
  }
}
