import type { Clock } from '../../../base/clock.ts';
import { Line, type LineLimits } from '../../fairness/turns.ts';
import type { Db } from '../../store/db.ts';
import type { SkinScope } from '../../store/skin-lists.ts';
import { type FoundSkins, type SkinSearch, searchSkins } from '../../store/skin-search.ts';
import type { Caller } from '../callers/caller.ts';
import { waitRefusal } from '../limits/wait-refusal.ts';
import { Refusal } from '../refusals/refusal.ts';

interface SearchLimits extends LineLimits {
  /** Maximum number of skins read for one page. */
  readonly looks: number;
}

/** Callers without a key and users are in lines of their own: strangers keep no user waiting. */
const LIMITS: Readonly<Record<Caller['kind'], SearchLimits>> = {
  anonymous: { atOnce: 1, waitingOfOne: 4, waiting: 128, looks: 5_000 },
  user: { atOnce: 2, waitingOfOne: 32, waiting: 512, looks: 20_000 },
};
/** Milliseconds until a retry: a search takes a few hundredths of a second. */
const SOON = 1_000;

/** What is searched for. */
export type SearchWish = Omit<SkinSearch, 'looks'> & { readonly scope: SkinScope };

export interface SearchContext {
  readonly db: Db;
  readonly searches: Pick<Searches, 'search'>;
}

/**
 * Searches in names and by variant. They cost more than other reads, so this process does few at the same time, one of
 * each caller in turn.
 */
export class Searches {
  /** The same for a reader who cannot come again: nothing is refused, however many wait. */
  readonly patient: Pick<Searches, 'search'> = {
    search: async (...asked) => await this.#searchInTurn(...asked),
  };
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lines = { anonymous: new Line(LIMITS.anonymous), user: new Line(LIMITS.user) };

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Searches when it is the caller's turn. @throws Refusal `concurrency_limit`, `service_unavailable` */
  async search(db: Db, caller: Caller, wish: SearchWish): Promise<FoundSkins> {
    this.#verifyRoom(caller);
    return await this.#searchInTurn(db, caller, wish);
  }

  #verifyRoom(caller: Caller): void {
    const full = this.#lines[caller.kind].fullFor(caller.owner);
    if (full === undefined) return;
    if (full === 'one') {
      const message = 'Too many of your searches are under way: wait for some of them to end.';
      throw waitRefusal('concurrency_limit', { message, caller, wait: SOON, now: this.#clock.now() });
    }
    const message = 'Too many searches are under way: try again in a moment.';
    throw new Refusal('service_unavailable', { message, headers: { 'Retry-After': String(SOON / 1_000) } });
  }

  async #searchInTurn(db: Db, caller: Caller, { scope, ...search }: SearchWish): Promise<FoundSkins> {
    const { looks } = LIMITS[caller.kind];
    return await this.#lines[caller.kind].during(
      caller.owner,
      async () => await searchSkins(db, scope, { ...search, looks }),
    );
  }
}
