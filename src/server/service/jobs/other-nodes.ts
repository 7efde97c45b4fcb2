import type { JobReads } from '../../queue/lists.ts';
import type { JobFeed } from './job-feed.ts';

export interface OtherNodesOptions {
  readonly reads: JobReads;
  /** The feeds of all owners that have followers. */
  readonly feeds: ReadonlyMap<string, JobFeed>;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of accepted jobs, or of followed pending ones, per read. */
const PAGE = 1_000;

/**
 * Finds the owners whose jobs other nodes have changed, with one read of the new jobs of all owners and one of the
 * followed pending jobs, regardless of the number of followers. Only the affected feeds then read more.
 */
export class OtherNodes {
  readonly #options: OtherNodesOptions;
  /** Number of the newest job seen so far; undefined if there is none yet, so that every feed must look for itself. */
  #newest: number | undefined;
  #isDue = false;
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: OtherNodesOptions) {
    this.#options = options;
  }

  /**
   * Looks for changes. If a look is in progress, it looks once more after that: the current one may have missed what
   * was written in the meantime.
   */
  look(): void {
    this.#isDue = true;
    if (!this.#isLooking) this.#looking = this.#lookWhileDue();
  }

  /** Resolves when no look is in progress. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  /** Resets the state when there are no followers left. */
  forget(): void {
    this.#newest = undefined;
  }

  async #lookWhileDue(): Promise<void> {
    this.#isLooking = true;
    while (this.#isDue) {
      this.#isDue = false;
      try {
        await this.#lookOnce();
      } catch (error) {
        this.#options.onError(error);
        this.#lookEverywhere(); // each feed finds out whether its own jobs can be read
      }
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const { reads, feeds } = this.#options;
    if (feeds.size === 0) return;
    if (this.#newest === undefined) {
      this.#newest = await reads.newestId(); // before the feeds look: nothing is accepted unseen between the two
      return this.#lookEverywhere();
    }
    for (const feed of feeds.values()) {
      if (feed.isLooking) feed.anything(); // what it is reading may have changed in the meantime
    }
    await this.#findAccepted(this.#newest);
    await this.#findEnded();
  }

  async #findAccepted(since: number): Promise<void> {
    const { reads, feeds } = this.#options;
    const jobs = await reads.acceptedAfter(since, PAGE);
    for (const owner of new Set(jobs.map((job) => job.owner))) feeds.get(owner)?.accepted();
    if (this.#newest !== undefined) this.#newest = jobs.at(-1)?.id ?? since;
    if (jobs.length === PAGE) this.#isDue = true;
  }

  async #findEnded(): Promise<void> {
    const { reads, feeds } = this.#options;
    const followed = [...feeds.values()].flatMap((feed) => [...feed.pending]);
    for (let first = 0; first < followed.length; first += PAGE) {
      const ended = await reads.findEnded(followed.slice(first, first + PAGE));
      for (const { owner, uuid } of ended) feeds.get(owner)?.ended(uuid);
    }
  }

  #lookEverywhere(): void {
    for (const feed of this.#options.feeds.values()) feed.anything();
  }
}
