import type { Job } from '../protocol/job.ts';
import { REMEMBERED } from './peer-rows.ts';
import type { Peer } from './peers.ts';

/** Milliseconds after which a list shows what a dead process had sent: usually, and if it sent that just now. */
const LISTED_SOON = 300;
const LISTED_LATE = 5_000;

/** What one dead process had in flight. */
interface Group {
  readonly spots: number;
  /** From then on a list is expected to show the jobs. */
  readonly soon: number;
  /** Lists requested before then may lack them. */
  readonly until: number;
}

/**
 * Submissions that dead processes had in flight. Each may have become a job, so it counts until a list shows a job of
 * unknown origin that was not there before, until a list requested late enough shows none, or at the latest when the
 * dead process's row is forgotten. Times: milliseconds since the epoch.
 */
export class AbandonedSubmissions {
  readonly #isKnown: (id: string) => boolean;
  #groups: readonly Group[] = [];
  /** The jobs in the newest list; undefined: there has been none. */
  #listed: ReadonlySet<string> | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  /** Jobs that have appeared since, of any origin: a submission of ours may be answered after its job is listed. */
  readonly #appeared = new Set<string>();
  /** Jobs that dead processes were known to have: they are none of what was in flight. */
  readonly #theirs = new Set<string>();

  /** `isKnown`: whether a job is known to be another submission's. */
  constructor(isKnown: (id: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /**
   * These processes were found dead. `hasJustDied`: whether this one saw them alive. Then what they sent last may still
   * wait in the network, or at a busy service.
   */
  died(gone: readonly Peer[], now: number, hasJustDied: (name: string) => boolean): void {
    for (const { id } of gone.flatMap(({ jobs }) => jobs)) this.#theirs.add(id);
    const soon = now + LISTED_SOON;
    const groups = gone.map(({ name, unsure }) => ({
      spots: unsure,
      soon,
      until: hasJustDied(name) ? now + LISTED_LATE : soon,
    }));
    this.#groups = [...this.#groups, ...groups.filter(({ spots }) => spots > 0)];
  }

  /** A list is known that was requested at this time. */
  listed(askedAt: number, jobs: readonly Job[]): void {
    this.#groups = this.#groups.filter(({ until }) => until > askedAt);
    if (this.#groups.length === 0) this.#forget();
    else for (const { id } of jobs) if (this.#listed?.has(id) === false) this.#appeared.add(id);
    this.#listed = new Set(jobs.map(({ id }) => id));
    this.#listedAt = askedAt;
  }

  count(now: number): number {
    this.#groups = this.#groups.filter(({ until }) => until + REMEMBERED > now);
    const spots = this.#groups.reduce((sum, group) => sum + group.spots, 0);
    if (spots === 0) return 0;
    const unknown = [...this.#appeared].filter((id) => !this.#isKnown(id) && !this.#theirs.has(id));
    return Math.max(0, spots - unknown.length);
  }

  #forget(): void {
    this.#appeared.clear();
    this.#theirs.clear();
  }

  /** When the next list may show what became of them; undefined if there are none. */
  settledAt(now: number): number | undefined {
    if (this.count(now) === 0) return undefined;
    const times = this.#groups.flatMap(({ soon, until }) => [soon, until]);
    return Math.min(...times.filter((time) => time > this.#listedAt));
  }
}
