import { type Clock, sleepOrEvent } from '../../base/clock.ts';
import { SERVER_NAME, VERSION } from '../../base/version.ts';
import { ERRORS } from '../../protocol/errors.ts';
import type { JobSignals, ServiceEvents } from '../events.ts';
import {
  asGenerationError,
  GenerationError,
  GenerationPostponed,
  type Generator,
} from '../generators/port.ts';
import { type NodeName, workerName, workerPrefix } from '../queue/leases.ts';
import { type GeneratedData, type JobLeases, type Lease, QUEUE_TIMES } from '../queue/port.ts';
import { identityOfJob } from '../service/skins/identity.ts';
import type { Db } from '../store/db.ts';
import { isStoreFailure } from '../store/failures.ts';
import { findBlockedImage } from '../store/moderation.ts';
import { StoreTooNewError } from '../store/process-memory.ts';
import { findTextureData } from '../store/textures.ts';

export interface WorkerPoolOptions {
  /** Workers of this process. */
  readonly count: number;
  readonly db: Db;
  readonly queue: JobLeases;
  readonly generator: Generator;
  readonly signals: JobSignals;
  readonly clock: Clock;
  readonly self: NodeName;
  readonly events: ServiceEvents;
  /** Minimum milliseconds of a generation, if known. */
  readonly leastDuration?: number | undefined;
  /** Receives errors that no job reports: bugs, an unwritable store. */
  readonly onError: (error: unknown) => void;
}

/** Pause after a failed claim (full disk, busy store). */
const TROUBLE_PAUSE = 500;
const RENEWALS_PER_LEASE = 3;

/** Workers of this process: claim → generate → record, each under a lease. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** Aborted if leases are lost or the pool cannot wait any longer. */
  readonly #atWork = new Set<AbortController>();
  /** Workers that may hold an idle job because a claim got no answer, each with the end of that. */
  readonly #unsure = new Map<string, number>();
  #isStopping = false;
  #isCutShort = false;
  #trouble: unknown;
  #loops: Promise<void>[] = [];
  readonly #times: WorkTimes;
  readonly #idle: IdleWorkers;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#times = new WorkTimes(options.clock, options.leastDuration);
    this.#idle = new IdleWorkers(options.clock);
  }

  start(): void {
    this.#options.signals.onWork((jobs) => this.#idle.wake(jobs));
    this.#loops = Array.from({ length: this.#options.count }, (_, index) =>
      this.#loop(workerName(this.#options.self, index)),
    );
  }

  get count(): number {
    return this.#options.count;
  }

  /** The workers with a job. */
  get busy(): number {
    return this.#times.underWay;
  }

  /** Milliseconds of a job from its claim to the record of its end; undefined: unknown. */
  typicalTime(): number | undefined {
    return this.#times.typical();
  }

  isOwn(leaseOwner: string): boolean {
    return leaseOwner.startsWith(workerPrefix(this.#options.self));
  }

  /** What prevents this process from working, such as a full disk; undefined: nothing. */
  get trouble(): unknown {
    return this.#trouble;
  }

  /** Stops the workers after their current generations. After `limit` ms, those go back to the queue. */
  async stop(limit: number): Promise<void> {
    this.#isStopping = true;
    this.#idle.wake();
    const late = setTimeout(() => this.#cutShort(), limit);
    await Promise.all(this.#loops);
    clearTimeout(late);
  }

  #cutShort(): void {
    this.#isCutShort = true;
    for (const work of this.#atWork) work.abort();
  }

  async #loop(owner: string): Promise<void> {
    while (!this.#isStopping) {
      try {
        if (this.#unsure.has(owner)) await this.#dropUnknown(owner);
        const lease = await this.#claim(owner);
        if (lease) await this.#work(lease);
      } catch (error) {
        this.#doubt(owner);
        await this.#sitOut(error);
      }
    }
  }

  /** The database may commit the claim later, but its lease, which began with it, lasts no longer than this. */
  #doubt(owner: string): void {
    this.#unsure.set(owner, this.#options.clock.monotonic() + QUEUE_TIMES.lease);
  }

  /** Returns a job whose claim was committed but got no answer; otherwise it would wait for the end of its lease. */
  async #dropUnknown(owner: string, atHand?: Lease): Promise<void> {
    const until = this.#unsure.get(owner);
    const isOver = until !== undefined && until <= this.#options.clock.monotonic();
    const released = await this.#options.queue.releaseOthers(owner, atHand?.job.uuid);
    if (released > 0) this.#idle.stir();
    if (isOver && this.#unsure.get(owner) === until) this.#unsure.delete(owner);
  }

  /** Takes a job, or sleeps until there may be one. */
  async #claim(owner: string): Promise<Lease | undefined> {
    const { queue, generator } = this.#options;
    const since = this.#idle.signs; // so that no sign is missed during the check
    const pause = (await generator.pause?.()) ?? 0;
    if (pause > 0) return void (await this.#idle.sleep(pause, since));
    const lease = this.#idle.mayBeWork ? await queue.claim(owner) : undefined;
    this.#trouble = undefined;
    if (lease) {
      this.#idle.taken({ since, isLast: lease.isLast ?? false });
      return lease;
    }
    if (generator.bounds) this.#idle.forget(); // the bounds may have changed
    return void (await this.#idle.sleepUntilWork(since, async () => await queue.nextRunAt()));
  }

  /**
   * The store is unusable: callers who wait for a job learn it at once, and the worker soon tries again. The current
   * job continues when its lease has expired.
   */
  async #sitOut(error: unknown): Promise<void> {
    this.#trouble = error;
    this.#options.onError(error);
    this.#options.signals.storeChanged();
    await this.#options.clock.sleep(TROUBLE_PAUSE);
  }

  async #work(lease: Lease): Promise<void> {
    const work = new AbortController();
    this.#atWork.add(work);
    if (this.#isCutShort) work.abort();
    let dropping: Promise<void> | undefined;
    const beat = setInterval(() => {
      void this.#renew(lease, work);
      if (!this.#unsure.has(lease.owner)) return;
      dropping ??= this.#dropUnknown(lease.owner, lease)
        .catch(this.#options.onError)
        .finally(() => {
          dropping = undefined;
        });
    }, QUEUE_TIMES.lease / RENEWALS_PER_LEASE);
    this.#times.begin(lease.job.uuid);
    this.#options.signals.begun(lease.job);
    try {
      await this.#generate(lease, work.signal);
    } finally {
      clearInterval(beat);
      await dropping; // so that it does not return the next job
      this.#atWork.delete(work);
      this.#times.end(lease.job.uuid);
    }
  }

  async #renew(lease: Lease, work: AbortController): Promise<void> {
    try {
      if (!(await this.#options.queue.renew(lease))) work.abort();
    } catch (error) {
      if (error instanceof StoreTooNewError) work.abort(); // others will take it over
      this.#options.onError(error);
    }
  }

  async #generate(claimed: Lease, signal: AbortSignal): Promise<void> {
    const { queue, generator, signals } = this.#options;
    let lease = claimed;
    try {
      const adopted = await queue.adopt(claimed, await currentIdentity(generator, claimed));
      if (!adopted) {
        this.#idle.stir();
        return signals.finished(claimed.job);
      }
      lease = adopted;
      await this.#complete(lease, await makeSkinData(this.#options, lease, signal), signal);
    } catch (thrown) {
      const isCutShort = signal.aborted;
      const isStoreAtFault = isStoreFailure(thrown);
      if (isCutShort || isStoreAtFault) await queue.release(lease);
      else if (thrown instanceof GenerationPostponed) await queue.release(lease, thrown.until);
      else await this.#fail(lease, thrown);
      this.#idle.stir();
      if (isStoreAtFault) throw thrown;
      if (isCutShort) return;
    }
    signals.finished(lease.job);
  }

  async #complete(lease: Lease, data: GeneratedData, signal: AbortSignal): Promise<void> {
    const { generator, db } = this.#options;
    if (await this.#record(lease, data, signal)) {
      this.#times.learn(lease.job.uuid);
      await generator.settled?.(lease.job.identity);
    } else if (await findBlockedImage(db, lease.job.texture_hash)) {
      await this.#fail(lease, new GenerationError('blocked_image', ERRORS.blocked_image.message));
    }
  }

  /**
   * Tries again while the store cannot record the end, as long as the job belongs to this worker and the pool runs.
   * Otherwise the skin would have to be made again, perhaps by a game account.
   * @throws errors that are not the store's, or the store's error once the job is left to others
   */
  async #record(lease: Lease, data: GeneratedData, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      try {
        return await this.#options.queue.complete(lease, data);
      } catch (error) {
        const isOver = signal.aborted || this.#isStopping;
        if (isOver || !isStoreFailure(error) || error instanceof StoreTooNewError) throw error;
        await this.#sitOut(error);
      }
    }
  }

  async #fail(lease: Lease, thrown: unknown): Promise<void> {
    const { queue, onError } = this.#options;
    const error = asGenerationError(thrown);
    if (error.code === 'internal_error') onError(thrown);
    await queue.fail(lease, { code: error.code, message: error.message, passing: error.isPassing });
  }
}

export interface WorkerContext {
  readonly db: Db;
  readonly generator: Generator;
  readonly clock: Clock;
  readonly events: ServiceEvents;
}

/** The current identity of the job's data, because the signer may have changed since the job was accepted. */
export async function currentIdentity(generator: Generator, { job }: Lease): Promise<string> {
  const { owner, texture_hash: textureHash, variant, cape_hash: capeHash, visibility } = job;
  const asked = { owner, textureHash, variant, capeHash, visibility };
  return identityOfJob(asked, await generator.signer(textureHash));
}

/** The skin data for a job: made by another job in the meantime, or newly generated. */
export async function makeSkinData(
  { db, generator, clock, events }: WorkerContext,
  { job, owner, hasData = true }: Lease,
  signal: AbortSignal,
): Promise<GeneratedData> {
  const known = hasData ? await findTextureData(db, job.identity) : undefined;
  if (known) return known;
  if (job.cape_hash !== null && generator.refusesCapes !== undefined) {
    throw new GenerationError('invalid_cape', generator.refusesCapes); // another generator accepted the job
  }
  const start = clock.monotonic();
  const { identity, texture_hash: hash, variant, cape_hash: capeHash, visibility } = job;
  const { maker, ...data } = await generator.generate(
    { owner: job.owner, identity, hash, variant, capeHash, visibility },
    signal,
  );
  const duration = clock.monotonic() - start;
  events.emit('generated', duration);
  return {
    ...data,
    generator_version: VERSION,
    server: SERVER_NAME,
    worker: owner.slice(owner.lastIndexOf('#') + 1),
    duration: Math.round(duration),
    ...maker,
  };
}

/** Number of recent jobs for the typical time. */
const KEPT = 15;

/** How long recent jobs took, from a worker's claim to the record of their end. */
export class WorkTimes {
  readonly #clock: Clock;
  readonly #least: number | undefined;
  /** Start times of the jobs under way (monotonic). */
  readonly #begun = new Map<string, number>();
  #durations: number[] = [];

  /** `least`: minimum milliseconds of a job, if known before the first one is done. */
  constructor(clock: Clock, least: number | undefined) {
    this.#clock = clock;
    this.#least = least;
  }

  get underWay(): number {
    return this.#begun.size;
  }

  begin(uuid: string): void {
    this.#begun.set(uuid, this.#clock.monotonic());
  }

  /** Remembers the time of a finished job. */
  learn(uuid: string): void {
    const begun = this.#begun.get(uuid);
    if (begun === undefined) return;
    this.#durations.push(this.#clock.monotonic() - begun);
    if (this.#durations.length > KEPT) this.#durations.shift();
  }

  /** Forgets a job that is over, whatever the result. */
  end(uuid: string): void {
    this.#begun.delete(uuid);
  }

  /**
   * The median in milliseconds, so that a first signature that waited for its key, or a pause of the machine, does not
   * distort it. Undefined: no job is done yet, and no minimum is known.
   */
  typical(): number | undefined {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? this.#least;
  }
}

/** Maximum milliseconds that workers sleep, in case a sign is missing. */
const IDLE = 5_000;

interface Sleeper {
  readonly wake: () => void;
  /** When its timer ends (monotonic); without one, it sleeps until woken. */
  readonly until: number | undefined;
}

/**
 * The idle workers of a process. Wakes as many as there are new jobs. Together, they check once when the next job is
 * due, because each check is a statement to the store.
 */
export class IdleWorkers {
  readonly #clock: Clock;
  #asleep: Sleeper[] = [];
  #signs = 0;
  /** Announced jobs that no worker here has taken. While there are some, the cached facts may be outdated. */
  #announced = Number.POSITIVE_INFINITY;
  #due: Promise<number | undefined> = Promise.resolve(undefined);
  /** The number of signs when nothing waited any more. */
  #emptyAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of signs of work so far. Read it before checking for work. */
  get signs(): number {
    return this.#signs;
  }

  /** Whether an unclaimed job may be waiting. */
  get mayBeWork(): boolean {
    return this.#emptyAt !== this.#signs;
  }

  /** There may be that many new jobs. */
  wake(jobs = Number.POSITIVE_INFINITY): void {
    this.#signs++;
    this.#announced += jobs;
    this.#asleep.sort((a, b) => (a.until ?? 0) - (b.until ?? 0)); // the ones with timers wake the others
    for (const { wake } of this.#asleep.splice(0, jobs)) wake();
  }

  /** A job has gone back to the queue. */
  stir(): void {
    this.#signs++;
    this.forget();
  }

  /** The time of the next job may have changed. */
  forget(): void {
    this.#announced = Number.POSITIVE_INFINITY;
  }

  /** A worker has taken a job with a check that began after `since` signs. */
  taken({ since, isLast }: { since: number; isLast: boolean }): void {
    this.#announced = Math.max(0, this.#announced - 1);
    if (isLast) this.#emptyAt = since;
  }

  /** Sleeps until a sign after the first `since` ones, or until a job is due. */
  async sleepUntilWork(since: number, nextRunAt: () => Promise<number | undefined>): Promise<void> {
    const due = await this.#nextDue(nextRunAt);
    await this.sleep(due === undefined ? IDLE : Math.max(1, due - this.#clock.now()), since);
  }

  /** Sleeps until a sign after the first `since` ones, for at most `ms`. */
  async sleep(ms: number, since: number): Promise<void> {
    if (this.#signs !== since) return;
    const most = Math.min(IDLE, ms);
    const until = this.#clock.monotonic() + most;
    const isFirst = this.#asleep.every((other) => other.until === undefined || other.until > until);
    await sleepOrEvent(this.#clock, isFirst ? most : undefined, (wake) => {
      const sleeper = { wake, until: isFirst ? until : undefined };
      this.#asleep.push(sleeper);
      return () => this.#leave(sleeper);
    });
  }

  /** A worker that still sleeps here was woken by its timer, which was for all. */
  #leave(sleeper: Sleeper): void {
    const at = this.#asleep.indexOf(sleeper);
    if (at < 0) return;
    this.#asleep.splice(at, 1);
    this.wake();
  }

  async #nextDue(nextRunAt: () => Promise<number | undefined>): Promise<number | undefined> {
    if (this.#announced > 0 || ((await this.#due) ?? Number.POSITIVE_INFINITY) <= this.#clock.now()) {
      this.#announced = 0;
      this.#due = nextRunAt();
      this.#due.catch(() => this.forget());
    }
    return await this.#due;
  }
}
