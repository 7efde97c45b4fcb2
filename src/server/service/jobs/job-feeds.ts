import type { Clock } from '../../../base/clock.ts';
import type { JobSignals } from '../../events/job-signals.ts';
import type { JobReads } from '../../queue/lists.ts';
import type { Db } from '../../store/db.ts';
import type { Caller } from '../callers/caller.ts';
import { readRateLimit } from '../limits/rate-limit.ts';
import { Refusal } from '../refusal.ts';
import { JobFeed, type JobFollower } from './job-feed.ts';
import { OtherNodes } from './other-nodes.ts';

/** Maximum number of simultaneous followers, per caller and in total. */
const MAX_PER_OWNER = 20;
const MAX_FOLLOWERS = 1_000;
/** The same limits for callers without a key; the rest is reserved for callers with one. */
const MAX_PER_ADDRESS = 10;
const MAX_STRANGERS = 500;

export interface JobFeedsOptions {
  readonly reads: JobReads;
  readonly signals: JobSignals;
  readonly onError: (error: unknown) => void;
}

/** All followers of jobs, by owner. Followers of the same owner share one feed, so its jobs are read only once. */
export class JobFeeds {
  readonly #options: JobFeedsOptions;
  readonly #feeds = new Map<string, JobFeed>();
  readonly #otherNodes: OtherNodes;
  #stopListening: (() => void) | undefined;
  #size = 0;
  #strangers = 0;

  constructor(options: JobFeedsOptions) {
    this.#options = options;
    this.#otherNodes = new OtherNodes({ ...options, feeds: this.#feeds });
  }

  /** Number of followers of all owners. */
  get size(): number {
    return this.#size;
  }

  /** Number of followers without a key. */
  get strangers(): number {
    return this.#strangers;
  }

  /** Number of followers of one owner. */
  sizeOf(owner: string): number {
    return this.#feeds.get(owner)?.size ?? 0;
  }

  /** Reports the owner's jobs to `follower` until the returned function is called. */
  follow(owner: string, follower: JobFollower, isStranger = false): () => void {
    this.#listen(); // before the first read, so that an end in between is not missed
    const feed = this.#feeds.get(owner) ?? new JobFeed({ ...this.#options, owner });
    this.#feeds.set(owner, feed);
    this.#size++;
    if (isStranger) this.#strangers++;
    feed.add(follower);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#size--;
      if (isStranger) this.#strangers--;
      feed.remove(follower);
      if (feed.size === 0) this.#drop(owner, feed);
    };
  }

  /** Ends all followers after delivering the outstanding events. */
  async close(): Promise<void> {
    await this.#otherNodes.settled();
    await Promise.all([...this.#feeds.values()].map((feed) => feed.close()));
  }

  #drop(owner: string, feed: JobFeed): void {
    if (this.#feeds.get(owner) === feed) this.#feeds.delete(owner);
    if (this.#feeds.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#otherNodes.forget();
  }

  #listen(): void {
    this.#stopListening ??= this.#options.signals.listen({
      accepted: (owner, job) => this.#feeds.get(owner)?.accepted(job),
      finished: ({ owner, uuid }) => this.#feeds.get(owner)?.ended(uuid),
      storeChanged: () => this.#otherNodes.look(),
    });
  }
}

export interface FollowContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly feeds: JobFeeds;
  /** Whether the service is shutting down and accepts nothing new. */
  readonly isStopping: () => boolean;
}

/**
 * Follows the caller's jobs until the returned function is called.
 * @throws Refusal `concurrency_limit`, `service_unavailable`
 */
export async function followJobs(
  context: FollowContext,
  caller: Caller,
  follower: JobFollower,
): Promise<() => void> {
  const { feeds, db, clock } = context;
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is shutting down.');
  const isStranger = caller.kind === 'anonymous';
  const most = isStranger ? MAX_PER_ADDRESS : MAX_PER_OWNER;
  if (feeds.sizeOf(caller.owner) >= most) {
    const message = `You already have ${most} streams open, the maximum.`;
    const rateLimit = await readRateLimit(db, caller, clock.now());
    throw new Refusal('concurrency_limit', { message, rateLimit });
  }
  if (feeds.size >= MAX_FOLLOWERS || (isStranger && feeds.strangers >= MAX_STRANGERS)) {
    throw new Refusal('service_unavailable', 'Too many callers are following their jobs.');
  }
  return feeds.follow(caller.owner, follower, isStranger);
}
