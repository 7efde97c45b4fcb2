import { isPending } from '../../../protocol/job.ts';
import type { JobReads, JobWithSkin } from '../../queue/lists.ts';
import type { JobRow } from '../../store/schema/tables.ts';

/** A follower of an owner's jobs. */
export interface JobFollower {
  /** The owner's pending jobs, newest first. Called once, before any other event. */
  pending(jobs: readonly JobRow[]): void;
  /** A job was accepted, or has ended. */
  job(job: JobWithSkin): void;
  /** No more events follow. */
  end(): void;
}

export interface JobFeedOptions {
  readonly owner: string;
  readonly reads: JobReads;
  readonly onError: (error: unknown) => void;
}

/** What has changed since the last look. */
interface News {
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
const MAX_TOLD = 64;

/**
 * Reports an owner's jobs to its followers. News only say where to look. Followers get what the store holds at that
 * time, so the order of the news does not matter. The feed keeps two facts for this: the number of the newest job it
 * has looked at, and which jobs up to that one were pending. It reports a job as accepted when the job's number is
 * higher, and as ended when the job was pending and no longer is. A job that this process has just accepted is reported
 * at once, and remembered until a read has reached it.
 */
export class JobFeed {
  readonly #options: JobFeedOptions;
  readonly #followers = new Set<JobFollower>();
  readonly #newcomers = new Set<JobFollower>();
  readonly #pending = new Set<string>();
  #newest: number | undefined;
  /** Numbers of newer jobs that were reported without a read. */
  readonly #told = new Set<number>();
  #news = noNews();
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: JobFeedOptions) {
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
    if (job && this.#told.size < MAX_TOLD) this.#news.accepted.push(job);
    else this.#news.isAccepted = true;
    this.#look();
  }

  ended(uuid: string): void {
    this.#news.ended.add(uuid);
    this.#look();
  }

  anything(): void {
    this.#news.isAny = true;
    this.#look();
  }

  /** Ends all followers after delivering the outstanding events. */
  async close(): Promise<void> {
    await this.#looking;
    this.#endAll();
  }

  #look(): void {
    if (!this.#isLooking) this.#looking = this.#lookWhileThereIsNews();
  }

  async #lookWhileThereIsNews(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.size > 0 && (this.#newcomers.size > 0 || hasSome(this.#news))) {
        const news = this.#news;
        this.#news = noNews();
        await this.#greetNewcomers();
        for (const job of news.accepted) this.#tellAcceptedJob(job, news);
        if (news.isAccepted || news.isAny) await this.#tellAccepted(news);
        await this.#tellEnded(news.isAny ? this.#pending : news.ended);
      }
    } catch (error) {
      this.#options.onError(error);
      this.#newest = undefined;
      this.#pending.clear();
      this.#told.clear();
      this.#endAll(); // the followers reconnect, and start with the jobs pending then
    } finally {
      this.#isLooking = false; // in the same step as the last look at the news, so that no news are lost in between
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
   * `news`.
   */
  async #tellAccepted(news: News): Promise<void> {
    const { reads, owner } = this.#options;
    const jobs = await reads.listAfter(owner, this.#newest ?? 0, PAGE);
    for (const job of jobs) {
      this.#tellAcceptedJob(job, news);
      this.#newest = job.id;
      this.#told.delete(job.id);
    }
    if (jobs.length === PAGE) this.#news.isAccepted = true;
  }

  #tellAcceptedJob(job: JobRow, news: News): void {
    if (job.id <= (this.#newest ?? 0) || this.#told.has(job.id)) return;
    this.#told.add(job.id);
    this.#pending.add(job.uuid);
    if (isPending(job.status)) this.#tell({ job, skin: undefined });
    else news.ended.add(job.uuid);
  }

  async #tellEnded(uuids: ReadonlySet<string>): Promise<void> {
    const candidates = [...uuids].filter((uuid) => this.#pending.has(uuid));
    for (let first = 0; first < candidates.length; first += PAGE) {
      for (const ended of await this.#options.reads.readEnds(candidates.slice(first, first + PAGE))) {
        this.#pending.delete(ended.job.uuid);
        this.#tell(ended);
      }
    }
  }

  #tell(job: JobWithSkin): void {
    for (const follower of this.#followers) follower.job(job);
  }

  #endAll(): void {
    const all = [...this.#newcomers, ...this.#followers];
    this.#newcomers.clear();
    this.#followers.clear();
    for (const follower of all) follower.end();
  }
}

function noNews(): News {
  return { isAccepted: false, accepted: [], ended: new Set(), isAny: false };
}

function hasSome({ isAccepted, accepted, ended, isAny }: News): boolean {
  return isAccepted || isAny || accepted.length > 0 || ended.size > 0;
}
