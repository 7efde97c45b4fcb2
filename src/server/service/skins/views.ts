import type { Clock } from '../../../base/clock.ts';
import { type Allowance, EvictingMap, isWhole, refill } from '../../fairness/rate-limits.ts';
import type { Db } from '../../store/db.ts';
import { hourOf, noteView } from '../../store/usage.ts';
import { type Caller, viewerOf } from '../callers/caller.ts';
import { findVisible } from './skins.ts';

/** Views of one viewer that count in a minute, of all skins: each is a row until its hour has passed. */
const VIEWS_PER_MINUTE = 60;
/** Number of viewers above which those who have viewed nothing for a minute are forgotten. */
const MANY_VIEWERS = 10_000;

/** Which views count. Counts are per process. */
export class Views {
  readonly #clock: Clock;
  readonly #allowances = new EvictingMap<Allowance>(MANY_VIEWERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether another view of this viewer counts; if so, it is spent. */
  spend(viewer: string): boolean {
    const at = this.#clock.monotonic();
    const made = () => ({ left: VIEWS_PER_MINUTE, at });
    const allowance = this.#allowances.ensure(viewer, made, (other) => isWhole(other, at));
    refill(allowance, VIEWS_PER_MINUTE, at);
    if (allowance.left < 1) return false;
    allowance.left--;
    return true;
  }
}

/**
 * Counts a view of a skin by the caller, at most once an hour. One that the caller does not see counts nothing, nor do
 * those beyond what one viewer may add in a minute.
 */
export async function viewSkin(
  context: { readonly db: Db; readonly clock: Clock; readonly views: Views },
  caller: Caller,
  uuid: string,
): Promise<void> {
  const skin = await findVisible(context, caller, uuid);
  const viewer = viewerOf(caller);
  if (!skin || !context.views.spend(viewer)) return;
  noteView(context.db, { skin_id: skin.id, viewer, hour: hourOf(context.clock.now()) });
}
