import type { Party } from './parties.ts';
import { REMEMBERED } from './party-rows.ts';

/** Milliseconds after which a dead process's last submissions are in the list, if they arrived. */
const SETTLING = 300;

/**
 * Submissions that dead processes had in flight. Each may have become a job, so it counts until a list is sure
 * to show that job, or at the latest when the dead process's row is forgotten. Times: milliseconds since the epoch.
 */
export class AbandonedSubmissions {
  /** `until`: lists requested before then may lack the jobs. */
  #groups: readonly { readonly spots: number; readonly until: number }[] = [];

  /** These processes were found dead. */
  died(gone: readonly Party[], now: number): void {
    this.#groups = [...this.#groups, ...gone.map(({ unsure }) => ({ spots: unsure, until: now + SETTLING }))];
  }

  /** A list is known that was requested at this time. */
  listed(askedAt: number): void {
    this.#groups = this.#groups.filter(({ until }) => until > askedAt);
  }

  count(now: number): number {
    this.#groups = this.#groups.filter(({ until }) => until + REMEMBERED > now);
    return this.#groups.reduce((sum, { spots }) => sum + spots, 0);
  }

  /** When a list will show what became of them; undefined if there are none. */
  settledAt(now: number): number | undefined {
    return this.count(now) === 0 ? undefined : Math.max(...this.#groups.map(({ until }) => until));
  }
}
