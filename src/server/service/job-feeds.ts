import type { JobSignals } from '../job-signals.ts';
import type { JobQueue } from '../queue/port.ts';
import type { Db } from '../store/store.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { JobFeed, type JobFollower } from './job-feed.ts';
import { readRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/** Followers that one caller and all together may have at one time. */
const MAX_PER_OWNER = 20;
const MAX_FOLLOWERS = 1_000;

export interface JobFeedsOptions {
  readonly queue: JobQueue;
  readonly db: Db;
  readonly signals: JobSignals;
  readonly onError: (error: unknown) => void;
}

/** Everybody who follows jobs, by owner: what several followers of one owner hear is read once. */
export class JobFeeds {
  readonly #options: JobFeedsOptions;
  readonly #feeds = new Map<string, JobFeed>();
  #deafen: (() => void) | undefined;
  #size = 0;

  constructor(options: JobFeedsOptions) {
    this.#options = options;
  }

  /** Followers of all owners. */
  get size(): number {
    return this.#size;
  }

  /** Followers of one owner. */
  sizeOf(owner: string): number {
    return this.#feeds.get(owner)?.size ?? 0;
  }

  /** Tells `follower` of the owner's jobs until the function that is answered is called. */
  follow(owner: string, follower: JobFollower): () => void {
    this.#listen(); // before anything is read: an end between the two must not be missed
    const feed = this.#feeds.get(owner) ?? new JobFeed({ ...this.#options, owner });
    this.#feeds.set(owner, feed);
    this.#size++;
    feed.add(follower);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#size--;
      feed.remove(follower);
      if (feed.size === 0) this.#drop(owner, feed);
    };
  }

  /** Ends all followers, once they have been told what there was to tell. */
  async close(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.close()));
  }

  #drop(owner: string, feed: JobFeed): void {
    if (this.#feeds.get(owner) === feed) this.#feeds.delete(owner);
    if (this.#feeds.size > 0) return;
    this.#deafen?.();
    this.#deafen = undefined;
  }

  #listen(): void {
    this.#deafen ??= this.#options.signals.listen({
      accepted: (owner) => this.#feeds.get(owner)?.accepted(),
      finished: ({ owner, uuid }) => this.#feeds.get(owner)?.ended(uuid),
      elsewhere: () => {
        for (const feed of this.#feeds.values()) feed.anything();
      },
    });
  }
}

/**
 * Follows the caller's jobs until the function that is answered is called.
 * @throws Refusal `concurrency_limit`, `service_unavailable`
 */
export async function followJobs(
  context: ServiceContext,
  caller: Caller,
  follower: JobFollower,
): Promise<() => void> {
  const { feeds, db, clock } = context;
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is being stopped.');
  if (feeds.sizeOf(caller.owner) >= MAX_PER_OWNER) {
    const message = `You follow your jobs ${MAX_PER_OWNER} times already; that is the most there may be.`;
    const rateLimit = await readRateLimit(db, caller, clock.now());
    throw new Refusal('concurrency_limit', { message, rateLimit });
  }
  if (feeds.size >= MAX_FOLLOWERS) {
    throw new Refusal('service_unavailable', 'Too many callers follow their jobs now.');
  }
  return feeds.follow(caller.owner, follower);
}
