import { WakeUpSignal } from '../../../base/clock.ts';
import { classifyFailure } from '../../../client/errors.ts';
import type { JobAnswer } from '../../../client/types.ts';
import { type JobResults, JobTracker } from '../../../dispatch/job-tracker.ts';
import type { CountedSlots, OtherProcesses, Submission } from '../../../dispatch/limits.ts';
import { RetryingReader, type Session } from '../../../dispatch/session.ts';
import type { SubmissionMark } from '../../../dispatch/submitter.ts';
import type { Job } from '../../../protocol/job.ts';
import type { Db } from '../../store/db.ts';
import { listUpstreamJobs } from '../../store/upstream-jobs.ts';
import type { Texture } from '../port.ts';
import type { Availability } from './contact.ts';

/** One skin that the upstream service is to make; its key is the identity of the skin data. */
export interface UpstreamWork extends Submission {
  readonly texture: Texture;
  /** The key of the submission about to be sent. */
  idempotencyKey: string;
}

export function workFor(texture: Texture): UpstreamWork {
  const { identity, variant } = texture;
  const inputs = { variant, visibility: undefined, cape: undefined };
  return { key: identity, ...inputs, attempt: 0, losses: 0, texture, idempotencyKey: '' };
}

export interface UpstreamJobsOptions {
  readonly session: Session<UpstreamWork>;
  readonly availability: Availability;
  readonly others: StoredJobs;
  /** Jobs that this process has submitted or waited for. */
  readonly own: RecentIds;
  /** Pixel hash of the texture at an address. */
  readonly texturePixels: (url: string) => Promise<string>;
  /** Tells workers that there may be room for more jobs. */
  readonly wake: () => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
  readonly stop: AbortSignal;
}

type Waiter<T> = Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>;

/** Jobs on the upstream service, for workers to wait for their ends. All waits end with GenerationPostponed if it is down. */
export class UpstreamJobs {
  readonly #options: UpstreamJobsOptions;
  readonly #session: Session<UpstreamWork>;
  readonly #reader: RetryingReader;
  readonly #tracker: JobTracker<UpstreamWork>;
  /** The workers that wait for a job, by its work's key. */
  readonly #waiters = new Map<string, Waiter<JobAnswer | undefined>>();
  readonly #lookWaiters = new Set<Waiter<void>>();
  /** Someone waits, or the service can be used again. */
  readonly #listenWanted: WakeUpSignal;
  #hasLooked = false;

  constructor(options: UpstreamJobsOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#reader = new RetryingReader(options.session, options.stop);
    this.#listenWanted = new WakeUpSignal(options.session.clock);
    this.#tracker = this.#makeTracker();
  }

  start(): void {
    this.#session.run(this.#watch(), this.#options.stop);
  }

  lookSoon(): void {
    this.#tracker.lookSoon();
  }

  /** Resolves after the first list. @throws GenerationPostponed; the signal's reason when aborted */
  async firstLook(signal: AbortSignal): Promise<void> {
    if (this.#hasLooked) return;
    this.#verifyUsable();
    const waiter = Promise.withResolvers<void>();
    this.#lookWaiters.add(waiter);
    this.lookSoon();
    await this.#settled(waiter, signal).finally(() => this.#lookWaiters.delete(waiter));
  }

  /** The end of a job that was submitted earlier; undefined: the service does not know it (any more). */
  async end(work: UpstreamWork, id: string, signal: AbortSignal): Promise<JobAnswer | undefined> {
    return await this.#wait(work, signal, () => {
      this.#tracker.follow(work, id);
      this.lookSoon();
    });
  }

  /** The end of a job that the service has just accepted; undefined as above. */
  async endOfNew(
    work: UpstreamWork,
    state: JobAnswer,
    { sent, signal }: SubmittedJob,
  ): Promise<JobAnswer | undefined> {
    return await this.#wait(work, signal, () => this.#tracker.accepted(work, state, sent));
  }

  /**
   * The end of the job from a submission without an answer; undefined: there is no such job. `settlesIn`: milliseconds
   * until the job is listed, if there is one.
   */
  async endOfLost(
    work: UpstreamWork,
    { sent, settlesIn, signal }: SubmittedJob & { readonly settlesIn: number },
  ): Promise<JobAnswer | undefined> {
    return await this.#wait(work, signal, () => {
      this.#session.slots.unsure.add(work);
      this.#tracker.lost(work, sent, settlesIn);
    });
  }

  /** The service is down: jobs go back to the queue. */
  giveUp(error: unknown): void {
    for (const { reject } of [...this.#waiters.values(), ...this.#lookWaiters]) reject(error);
    this.lookSoon(); // notices when the service is usable again
  }

  async #wait(work: UpstreamWork, signal: AbortSignal, begin: () => void): Promise<JobAnswer | undefined> {
    this.#verifyUsable();
    const waiter = Promise.withResolvers<JobAnswer | undefined>();
    this.#waiters.set(work.key, waiter);
    begin();
    this.#listenWanted.notify();
    return await this.#settled(waiter, signal).finally(() => this.#forget(work, waiter));
  }

  #verifyUsable(): void {
    const { availability } = this.#options;
    if (availability.isDown) throw availability.postponed();
  }

  async #settled<T>(waiter: PromiseWithResolvers<T>, signal: AbortSignal): Promise<T> {
    const abort = () => waiter.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    return await waiter.promise.finally(() => signal.removeEventListener('abort', abort));
  }

  #forget(work: UpstreamWork, waiter: Waiter<JobAnswer | undefined>): void {
    const { slots } = this.#session;
    if (this.#waiters.get(work.key) === waiter) this.#waiters.delete(work.key);
    this.#tracker.forget(work);
    slots.unsure.delete(work);
    for (const job of slots.jobs.values()) if (job.work === work) slots.freed(job.id);
  }

  #makeTracker(): JobTracker<UpstreamWork> {
    const { session, others, own, availability, texturePixels, stop } = this.#options;
    const pixelsOf = ({ texture }: UpstreamWork) => texture.hash;
    return new JobTracker({
      session,
      reader: this.#reader,
      user: { ...this.#results(), pixelsOf, texturePixels },
      others,
      follows: true,
      stop,
      untilListening: async () => await this.#untilListening(),
      onAccepted: (_, { id }) => own.add(id),
      onGone: (work) => this.#waiters.get(work.key)?.resolve(undefined),
      onRoom: () => availability.roomSeen(),
      onLooked: () => this.#looked(),
    });
  }

  #results(): JobResults<UpstreamWork> {
    return {
      attempt: async (work, _, step) =>
        await step().catch((error: unknown) => this.#waiters.get(work.key)?.reject(error)),
      settle: async (work, state) => this.#waiters.get(work.key)?.resolve(state),
      settleForgotten: async (work, id, result) =>
        this.#waiters.get(work.key)?.resolve(await this.#forgotten(id, result)),
    };
  }

  /** The skin may outlive its job. */
  async #forgotten(id: string | undefined, result: string | undefined): Promise<JobAnswer | undefined> {
    if (id === undefined || result === undefined) return undefined;
    const { client } = this.#session;
    const call = this.#session.call(this.#options.stop);
    const skin = await this.#reader.awaited(async () => await client.skin(result, call));
    if (!skin) return undefined;
    const job: Job = { id, status: 'completed', result, timestamp: undefined, eta: undefined };
    return { job, skin, errors: [], warnings: [], messages: [], links: {}, rateLimit: undefined };
  }

  #looked(): void {
    const { others, wake } = this.#options;
    this.#hasLooked = true;
    for (const { resolve } of this.#lookWaiters) resolve();
    if (others.countForeignJobs()) wake();
    this.#listenWanted.notify();
    this.#tracker.listenIfStreamed();
  }

  async #untilListening(): Promise<void> {
    const { availability, stop } = this.#options;
    while (this.#waiters.size === 0 || availability.isDown) await this.#listenWanted.wait(undefined, stop);
  }

  /** Whatever has failed, the service may be usable later. */
  async #watch(): Promise<void> {
    const { stop } = this.#options;
    const { clock, outage } = this.#session;
    while (!stop.aborted) {
      try {
        await this.#tracker.run();
      } catch (error) {
        if (stop.aborted) throw error;
        this.#failed(error);
        await clock.sleep(outage.openAt - this.#session.now(), stop);
      }
    }
  }

  #failed(error: unknown): void {
    const failure = classifyFailure(error);
    if (failure === undefined) this.#options.onError(error);
    if (failure?.kind === 'key_refused') this.#options.availability.keyRefused(error);
    else this.#session.outage.failed(error);
  }
}

interface SubmittedJob {
  readonly sent: SubmissionMark;
  readonly signal: AbortSignal;
}

export interface StoredJobsOptions {
  readonly db: Db;
  readonly slots: Pick<CountedSlots, 'foreignJobs'>;
  /** Whether this process submitted the job or waited for it. */
  readonly isOwn: (id: string) => boolean;
}

/** Pause between looks at the jobs of others with the same key, milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** The jobs of all nodes of this service, from its store. Pending jobs that are not in it belong to other programs. */
export class StoredJobs implements OtherProcesses {
  readonly isShared = false;
  readonly otherJobs = [];
  readonly settledAt = undefined;
  readonly typical = undefined;
  readonly #options: StoredJobsOptions;
  #known: ReadonlySet<string> = new Set();
  /** Submissions without an answer so far. */
  #unanswered = 0;
  #foreignJobs = 0;
  #pause = FIRST_PAUSE;

  constructor(options: StoredJobsOptions) {
    this.#options = options;
  }

  /** Jobs on the service that belong to other programs with the same key. */
  get foreignJobs(): number {
    return this.#foreignJobs;
  }

  /** The pause between looks, longer while nothing changes. */
  get foreignJobsPause(): number {
    return this.#pause;
  }

  /** Jobs on the service that are known here, and other programs'. */
  get pending(): number {
    return this.#known.size + this.#foreignJobs;
  }

  async catchUp(): Promise<void> {
    const rows = await listUpstreamJobs(this.#options.db);
    this.#known = new Set(rows.map(({ job_id }) => job_id).filter((id) => id !== null));
    this.#unanswered = rows.filter(({ job_id }) => job_id === null).length;
  }

  /** Counts other programs' jobs in the list that has just been seen. @returns whether there are fewer than before */
  countForeignJobs(): boolean {
    const { slots, isOwn } = this.#options;
    const foreign = slots.foreignJobs((id) => this.#known.has(id) || isOwn(id));
    const before = this.#foreignJobs;
    // A submission without an answer so far may be among them, or not have arrived when the list was made.
    const least = Math.max(0, foreign - this.#unanswered);
    this.#foreignJobs = Math.min(Math.max(before, least), foreign);
    this.#pause = this.#foreignJobs === before ? Math.min(LONGEST_PAUSE, this.#pause * 1.5) : FIRST_PAUSE;
    return this.#foreignJobs < before;
  }

  isElsewhere(id: string): boolean {
    return this.#known.has(id);
  }

  /** Each process requests its own lists. */
  takeNews(): undefined {
    return undefined;
  }

  tryLook(): number {
    return 0;
  }

  endLook(): void {}
}

/** A set that keeps only a limited number of the latest entries. */
export class RecentIds {
  readonly #kept = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  add(id: string): void {
    this.#kept.delete(id);
    this.#kept.add(id);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
  }
}
