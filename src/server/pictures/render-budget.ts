import type { Clock } from '../../base/clock.ts';
import { EvictingMap } from '../fairness/evicting-map.ts';
import { type Allowance, isWhole, refill, untilAffordable } from '../fairness/refill.ts';
import type { Caller } from '../service/callers/caller.ts';
import { waitRefusal } from '../service/limits/wait-refusal.ts';
import type { Refusal } from '../service/refusals/refusal.ts';

/** Pixels that count as one unit of the budget; smaller pictures count as one as well. */
const UNIT = 256 * 256;
/** Units a minute of one caller: 600 heads, or 37 of the largest pictures, which take two seconds to draw. */
const UNITS_PER_MINUTE = 600;
/** Number of callers above which those who have their whole budget are forgotten. */
const MANY_CALLERS = 10_000;

/** How much one caller may have drawn. Counts are per process. */
export class RenderBudget {
  readonly #clock: Clock;
  readonly #allowances = new EvictingMap<Allowance>(MANY_CALLERS);

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
