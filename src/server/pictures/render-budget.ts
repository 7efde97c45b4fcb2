import type { Clock } from '../../base/clock.ts';
import { Allowances, untilAffordable } from '../fairness.ts';
import type { Caller } from '../service/callers.ts';
import type { Refusal } from '../service/refusal.ts';
import { waitRefusal } from '../service/request-limits.ts';

/** Pixels per unit of the budget. Smaller pictures count as one unit. */
const UNIT = 256 * 256;
/** Units per minute and caller: 600 heads, or 37 of the largest pictures, which take two seconds to draw. */
const UNITS_PER_MINUTE = 600;
/** With more callers than this, those with a full budget are forgotten. */
const MAX_DRAWING = 10_000;

/** Limits drawing per caller. Each process counts by itself. */
export class RenderBudget {
  readonly #clock: Clock;
  readonly #allowances = new Allowances(UNITS_PER_MINUTE, MAX_DRAWING);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Refusal `rate_limit` */
  spend(
    caller: Caller,
    { width, height }: { readonly width: number; readonly height: number },
  ): { readonly isLarge: boolean } {
    const allowance = this.#allowances.of(caller.owner, this.#clock.monotonic());
    const cost = Math.ceil((width * height) / UNIT);
    const wait = untilAffordable(allowance, cost, UNITS_PER_MINUTE);
    if (wait > 0) throw this.#refusal(caller, wait);
    allowance.left -= cost;
    return { isLarge: cost > 1 };
  }

  #refusal(caller: Caller, wait: number): Refusal {
    return waitRefusal('rate_limit', {
      message:
        'This address has requested too many new pictures in the last minute. Wait, or request smaller ones.',
      caller,
      wait: Math.max(1_000, wait),
      now: this.#clock.now(),
    });
  }
}
