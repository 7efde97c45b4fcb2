import { isPending } from '../../../protocol/job.ts';
import type { JobSignals } from '../../events.ts';
import type { JobReads, JobWithSkin } from '../../queue/lists.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import type { Caller, StoreContext } from '../callers.ts';
import { readRateLimit } from '../limits.ts';
import { Refusal } from '../refusal.ts';

export interface JobFollower {
  /** The owner's pending jobs, newest first. Called once, before any other event. */
  pending(jobs: readonly JobRow[]): void;
  /** A job was accepted, or has ended. */
  job(job: JobWithSkin): void;
  /** No more events follow. */
  end(): void;
}

interface FeedOptions {
  readonly reads: JobReads;
  readonly onError: (error: unknown) => void;
}

/** What has changed since the last look. */
interface Changes {
  isAccepted: boolean;
  /** Jobs that this process has accepted, as they were then: they need not be read. */
  readonly accepted: JobRow[];
  /** Jobs that a worker has finished. */
  readonly ended: Set<string>;
  /** Anything may have changed. */
  isAny: boolean;
}

/** Jobs per read. */
const PAGE = 16;
/** Jobs reported without a read; after as many, a read finds what else there is. */
const MAX_REPORTED = 64;

/**
 * Reports an owner's jobs to its followers. Changes only say where to look. Followers get what the store holds at that
 * time, so the order of the changes does not matter. The feed keeps two facts for this: the number of the newest job it
 * has looked at, and which jobs up to that one were pending. It reports a job as accepted when the job's number is
 * higher, and as ended when the job was pending and no longer is. A job that this process has just accepted is reported
 * at once, and remembered until a read has reached it.
 */
export class JobFeed {
  readonly #options: FeedOptions & { readonly owner: string };
  readonly #followers = new Set<JobFollower>();
  readonly #newcomers = new Set<JobFollower>();
  readonly #pending = new Set<string>();
  #newest: number | undefined;
  /** Numbers of newer jobs that were reported without a read. */
  readonly #reported = new Set<number>();
  #changes = noChanges();
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: FeedOptions & { readonly owner: string }) {
    this.#options = options;
  }

  get size(): number {
    return this.#followers.size + this.#newcomers.size;
  }

  /** UUIDs of the jobs whose ends have not been reported yet. */
  get pending(): ReadonlySet<string> {
    return this.#pending;
  }

  /** Whether a read is in progress: `pending` may not include its results yet. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  add(follower: JobFollower): void {
    this.#newcomers.add(follower);
    this.#look();
  }

  remove(follower: JobFollower): void {
    this.#newcomers.delete(follower);
    this.#followers.delete(follower);
  }

  /** @param job the accepted job, if it is at hand */
  accepted(job?: JobRow): void {
    if (job && this.#reported.size < MAX_REPORTED) this.#changes.accepted.push(job);
    else this.#changes.isAccepted = true;
    this.#look();
  }

  ended(uuid: string): void {
    this.#changes.ended.add(uuid);
    this.#look();
  }

  markAllChanged(): void {
    this.#changes.isAny = true;
    this.#look();
  }

  /** Ends all followers after delivering the outstanding events. */
  async close(): Promise<void> {
    await this.#looking;
    this.#endAll();
  }

  #look(): void {
    if (!this.#isLooking) this.#looking = this.#lookWhileChanged();
  }

  async #lookWhileChanged(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.size > 0 && (this.#newcomers.size > 0 || hasSome(this.#changes))) {
        const changes = this.#changes;
        this.#changes = noChanges();
        await this.#greetNewcomers();
        for (const job of changes.accepted) this.#reportAcceptedJob(job, changes);
        if (changes.isAccepted || changes.isAny) await this.#reportAccepted(changes);
        await this.#reportEnded(changes.isAny ? this.#pending : changes.ended);
      }
    } catch (error) {
      this.#options.onError(error);
      this.#newest = undefined;
      this.#pending.clear();
      this.#reported.clear();
      this.#endAll(); // the followers reconnect, and start with the jobs pending then
    } finally {
      this.#isLooking = false; // in the same step as the last look at the changes, so that none are lost in between
    }
  }

  async #greetNewcomers(): Promise<void> {
    const newcomers = [...this.#newcomers];
    if (newcomers.length === 0) return;
    // Read the newest job first: a job accepted between the two reads counts as new.
    const jobs = await this.#options.reads.list(this.#options.owner, 1);
    const pending = jobs.filter(({ status }) => isPending(status));
    if (this.#newest === undefined) {
      this.#newest = jobs[0]?.id ?? 0;
      for (const { uuid } of pending) this.#pending.add(uuid);
    }
    for (const follower of newcomers) {
      if (!this.#newcomers.delete(follower)) continue; // the follower has left in the meantime
      this.#followers.add(follower);
      follower.pending(pending);
    }
  }

  /**
   * Reports accepted jobs. A job that has been accepted and has ended since then counts as ended, and is added to
   * `changes`.
   */
  async #reportAccepted(changes: Changes): Promise<void> {
    const { reads, owner } = this.#options;
    const jobs = await reads.listAfter(owner, this.#newest ?? 0, PAGE);
    for (const job of jobs) {
      this.#reportAcceptedJob(job, changes);
      this.#newest = job.id;
      this.#reported.delete(job.id);
    }
    if (jobs.length === PAGE) this.#changes.isAccepted = true;
  }

  #reportAcceptedJob(job: JobRow, changes: Changes): void {
    if (job.id <= (this.#newest ?? 0) || this.#reported.has(job.id)) return;
    this.#reported.add(job.id);
    this.#pending.add(job.uuid);
    if (isPending(job.status)) this.#report({ job, skin: undefined });
    else changes.ended.add(job.uuid);
  }

  async #reportEnded(uuids: ReadonlySet<string>): Promise<void> {
    const candidates = [...uuids].filter((uuid) => this.#pending.has(uuid));
    for (let first = 0; first < candidates.length; first += PAGE) {
      for (const ended of await this.#options.reads.readEnds(candidates.slice(first, first + PAGE))) {
        this.#pending.delete(ended.job.uuid);
        this.#report(ended);
      }
    }
  }

  #report(job: JobWithSkin): void {
    for (const follower of this.#followers) follower.job(job);
  }

  #endAll(): void {
    const all = [...this.#newcomers, ...this.#followers];
    this.#newcomers.clear();
    this.#followers.clear();
    for (const follower of all) follower.end();
  }
}

function noChanges(): Changes {
  return { isAccepted: false, accepted: [], ended: new Set(), isAny: false };
}

function hasSome({ isAccepted, accepted, ended, isAny }: Changes): boolean {
  return isAccepted || isAny || accepted.length > 0 || ended.size > 0;
}

interface OtherNodesOptions extends FeedOptions {
  /** The feeds of all owners that have followers. */
  readonly feeds: ReadonlyMap<string, JobFeed>;
}

/** Maximum number of accepted jobs, or of followed pending ones, per read. */
const MAX_READ = 1_000;

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
      if (feed.isLooking) feed.markAllChanged(); // what it is reading may have changed in the meantime
    }
    await this.#findAccepted(this.#newest);
    await this.#findEnded();
  }

  async #findAccepted(since: number): Promise<void> {
    const { reads, feeds } = this.#options;
    const jobs = await reads.acceptedAfter(since, MAX_READ);
    for (const owner of new Set(jobs.map((job) => job.owner))) feeds.get(owner)?.accepted();
    if (this.#newest !== undefined) this.#newest = jobs.at(-1)?.id ?? since;
    if (jobs.length === MAX_READ) this.#isDue = true;
  }

  async #findEnded(): Promise<void> {
    const { reads, feeds } = this.#options;
    const followed = [...feeds.values()].flatMap((feed) => [...feed.pending]);
    for (let first = 0; first < followed.length; first += MAX_READ) {
      const ended = await reads.findEnded(followed.slice(first, first + MAX_READ));
      for (const { owner, uuid } of ended) feeds.get(owner)?.ended(uuid);
    }
  }

  #lookEverywhere(): void {
    for (const feed of this.#options.feeds.values()) feed.markAllChanged();
  }
}

/** Maximum number of simultaneous followers, per caller and in total. */
const MAX_PER_OWNER = 20;
const MAX_FOLLOWERS = 1_000;
/** The same limits for callers without a key; the rest is reserved for callers with one. */
const MAX_PER_ADDRESS = 10;
const MAX_STRANGERS = 500;

/** All followers of jobs, by owner. Followers of the same owner share one feed, so its jobs are read only once. */
export class JobFeeds {
  readonly #options: FeedOptions & { readonly signals: JobSignals };
  readonly #feeds = new Map<string, JobFeed>();
  readonly #otherNodes: OtherNodes;
  #stopListening: (() => void) | undefined;
  #size = 0;
  #strangers = 0;

  constructor(options: FeedOptions & { readonly signals: JobSignals }) {
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

/**
 * Follows the caller's jobs until the returned function is called.
 * @throws Refusal `concurrency_limit`, `service_unavailable`
 */
export async function followJobs(
  context: StoreContext & { readonly feeds: JobFeeds; readonly isStopping: () => boolean },
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
