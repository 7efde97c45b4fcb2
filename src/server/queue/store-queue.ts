import { type Clock, systemClock } from '../../base/clock.ts';
import type { Observer } from '../events/observer.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { PROCESSING, WAITING } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import { adoptIdentity } from './adopt.ts';
import { countWaitingBefore, nextRunAt } from './claim.ts';
import { type Claims, claimsOf } from './claims.ts';
import { completeWithSkin } from './complete.ts';
import { findRoom, submitJob } from './enqueue.ts';
import { forgiveQueueClock } from './forgive-clock.ts';
import { type Holders, holdersHere } from './holders.ts';
import { findKeyedJob, findRepeated } from './idempotency.ts';
import { findWithSkin, readEnds } from './jobs-with-skins.ts';
import { recordKnown } from './known-jobs.ts';
import type { ProcessName } from './lease-owner.ts';
import { databaseLeases, type LeaseClock, leaseEnd, processLeases } from './lease-time.ts';
import { countJobs, listJobStates, listJobs, pageJobs } from './lists.ts';
import { findEnded, findNewestId, listAcceptedAfter } from './news.ts';
import { type PendingJobs, readPending } from './pending.ts';
import {
  type AcceptedJob,
  type ClaimBounds,
  type GeneratedData,
  type JobFailure,
  type JobPage,
  type JobQueue,
  type JobState,
  type JobWithSkin,
  type Lease,
  type ListedJob,
  type NewJob,
  QUEUE_TIMES,
  type QueueTimes,
  type Recorded,
  type Repeated,
  type Room,
  type Submission,
  type SubmitLimits,
} from './port.ts';
import { pruneCallers } from './prune-callers.ts';
import { pruneJobs } from './prune-jobs.ts';
import { changeState, type Step } from './states.ts';
import { UnderWay } from './under-way.ts';

export interface StoreQueueOptions {
  readonly self: ProcessName;
  readonly clock?: Clock;
  readonly times?: QueueTimes;
  /** Whose clock tells when leases end; default: `process`. `database` where processes are on several machines. */
  readonly leasesBy?: 'process' | 'database' | undefined;
  /** Who knows which workers are gone; default: the process table of this machine. */
  readonly holders?: Holders | undefined;
  /** The current limits over all jobs; default: none. */
  readonly bounds?: () => ClaimBounds | Promise<ClaimBounds>;
  /** Called with the ends of jobs. */
  readonly observer?: Pick<Observer, 'jobCompleted' | 'jobFailed'>;
}

const FIND = prepare((db, { uuid }: Pick<JobRow, 'uuid'>) =>
  db.selectFrom('jobs').selectAll().where('uuid', '=', uuid),
);

/** The queue in the store: several workers and processes on one database. */
export class StoreQueue implements JobQueue {
  readonly #db: Db;
  readonly #claims: Claims;
  readonly #holders: Holders;
  readonly #clock: Clock;
  readonly #times: QueueTimes;
  readonly #leases: LeaseClock;
  readonly #bounds: () => ClaimBounds | Promise<ClaimBounds>;
  readonly #observer: StoreQueueOptions['observer'];
  /** Records of jobs' ends. */
  readonly #ends = new UnderWay();

  constructor(db: Db, options: StoreQueueOptions) {
    this.#db = db;
    this.#holders = options.holders ?? holdersHere(options.self);
    this.#clock = options.clock ?? systemClock;
    this.#times = options.times ?? QUEUE_TIMES;
    const { lease, turnPatience: patience } = this.#times;
    this.#leases =
      options.leasesBy === 'database' ? databaseLeases(db, lease) : processLeases(this.#clock, lease);
    const times = { now: () => this.#clock.now(), end: () => this.#leases.end(), patience };
    this.#claims = claimsOf(db, times);
    this.#bounds = options.bounds ?? (() => ({}));
    this.#observer = options.observer;
  }

  async submit(job: NewJob, limits: SubmitLimits): Promise<Submission> {
    return await inTransaction(this.#db, (tx) => submitJob(tx, job, { limits, now: this.#clock.now() }));
  }

  async findRoom(asked: Pick<NewJob, 'owner' | 'via'>, limits: SubmitLimits): Promise<Room> {
    return await findRoom(this.#db, asked, { limits, now: this.#clock.now() });
  }

  async recordKnown(job: NewJob, skinUuid: string): Promise<Recorded> {
    return await recordKnown(this.#db, job, { skinUuid, now: this.#clock.now() });
  }

  async claim(owner: string): Promise<Lease | undefined> {
    await this.#ends.settled(); // they may have locked their owners, whom a claim passes over: others would get their turns
    return await this.#claims.claim(owner, await this.#bounds());
  }

  async adopt(lease: Lease, identity: string): Promise<Lease | undefined> {
    if (lease.job.identity === identity) return lease;
    const bounds = await this.#bounds();
    return await inTransaction(this.#db, (tx) => adoptIdentity(tx, lease, { identity, bounds }));
  }

  async renew(lease: Lease): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('jobs')
      .set({ lease_until: leaseEnd(this.#leases.end()) })
      .where('uuid', '=', lease.job.uuid)
      .where(PROCESSING)
      .where('lease_owner', '=', lease.owner)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async complete(lease: Lease, data: GeneratedData): Promise<boolean> {
    const completion = { lease, data, now: this.#clock.now() };
    const isDone = await this.#ends.during(completeWithSkin(this.#db, completion));
    if (isDone) this.#observer?.jobCompleted(lease.job.uuid);
    return isDone;
  }

  async fail(lease: Lease, failure: JobFailure): Promise<boolean> {
    const again = failure.passing && lease.job.attempts < this.#times.maxAttempts;
    const from = { uuid: lease.job.uuid, from: 'processing', leaseOwner: lease.owner } as const;
    if (!again) return await this.#end(from, failure);
    const why = { error_code: failure.code, error_message: failure.message };
    const wait = this.#times.retryDelay * 2 ** (lease.job.attempts - 1);
    const step = { ...from, to: 'waiting' } as const;
    return await changeState(this.#db, step, { ...why, run_at: this.#clock.now() + wait });
  }

  async #end(from: Omit<Step, 'to'>, failure: JobFailure): Promise<boolean> {
    const why = { error_code: failure.code, error_message: failure.message };
    const end = { ...why, finished_at: this.#clock.now() };
    const hasFailed = await changeState(this.#db, { ...from, to: 'failed' }, end);
    if (hasFailed) this.#observer?.jobFailed(from.uuid, failure);
    return hasFailed;
  }

  async release(lease: Lease, runAt?: number): Promise<boolean> {
    const { job, owner: leaseOwner } = lease;
    const step = { uuid: job.uuid, from: 'processing', to: 'waiting', leaseOwner } as const;
    const later = runAt === undefined ? {} : { run_at: Math.ceil(runAt) }; // PostgreSQL refuses a fraction
    return await changeState(this.#db, step, { attempts: job.attempts - 1, ...later });
  }

  async releaseOthers(leaseOwner: string, atHand?: string): Promise<number> {
    const held = this.#db.selectFrom('jobs').selectAll().where(PROCESSING);
    let released = 0;
    for (const job of await held.where('lease_owner', '=', leaseOwner).execute()) {
      if (job.uuid !== atHand && (await this.release({ job, owner: leaseOwner }))) released++;
    }
    return released;
  }

  async recover(): Promise<number> {
    const now = await this.#leases.now();
    await this.#shortenLeases(now);
    const leased = await this.#db.selectFrom('jobs').selectAll().where(PROCESSING).execute();
    const gone = await this.#holders.gone(
      this.#db,
      leased.map((job) => job.lease_owner ?? ''),
    );
    const lost = leased.filter((job) => (job.lease_until ?? 0) < now || gone.has(job.lease_owner ?? ''));
    const freed = await Promise.all(lost.map((job) => this.#free(job)));
    return freed.filter(Boolean).length + (await forgiveQueueClock(this.#db, this.#clock.now()));
  }

  /** Shortens leases from before the clock was set back to the length of a new one: living workers renew theirs. */
  async #shortenLeases(now: number): Promise<void> {
    const longest = now + this.#times.lease;
    await this.#db
      .updateTable('jobs')
      .set({ lease_until: longest })
      .where(PROCESSING)
      .where('lease_until', '>', longest)
      .execute();
  }

  /** A job whose worker vanished goes back at once, unless it has crashed too many workers. */
  async #free(job: JobRow): Promise<boolean> {
    const lease = { leaseOwner: job.lease_owner ?? '', leaseUntil: job.lease_until ?? 0 };
    const from = { uuid: job.uuid, from: 'processing', ...lease } as const; // a lease renewed in the meantime is valid
    if (job.attempts < this.#times.maxAttempts)
      return await changeState(this.#db, { ...from, to: 'waiting' }, {});
    const message = `The worker stopped during this job ${job.attempts} times.`;
    return await this.#end(from, { code: 'job_failed', message, passing: false });
  }

  async giveUpWaiting(owner: string, failure: JobFailure): Promise<string[]> {
    const waiting = await this.#db
      .selectFrom('jobs')
      .select('uuid')
      .where('owner', '=', owner)
      .where(WAITING)
      .execute();
    const ended: string[] = [];
    for (const { uuid } of waiting) if (await this.#end({ uuid, from: 'waiting' }, failure)) ended.push(uuid);
    return ended;
  }

  async find(uuid: string): Promise<JobRow | undefined> {
    return await FIND.first(this.#db, { uuid });
  }

  async findWithSkin(uuid: string): Promise<JobWithSkin | undefined> {
    return await findWithSkin(this.#db, uuid);
  }

  async readEnds(uuids: readonly string[]): Promise<JobWithSkin[]> {
    return await readEnds(this.#db, uuids);
  }

  async hasKey(owner: string, key: string): Promise<boolean> {
    return (await findKeyedJob(this.#db, owner, key)) !== undefined;
  }

  async findRepeated(job: NewJob): Promise<Repeated | undefined> {
    return await findRepeated(this.#db, job);
  }

  async list(owner: string, size: number): Promise<JobRow[]> {
    return await listJobs(this.#db, owner, size);
  }

  async listStates(owner: string, size: number): Promise<JobState[]> {
    return await listJobStates(this.#db, owner, size);
  }

  async page(owner: string, page: JobPage): Promise<ListedJob[]> {
    return await pageJobs(this.#db, owner, page);
  }

  async count(owner: string, status?: 'failed'): Promise<number | undefined> {
    return await countJobs(this.#db, owner, status);
  }

  async listAfter(owner: string, id: number, size: number): Promise<JobRow[]> {
    return await this.#db
      .selectFrom('jobs')
      .selectAll()
      .where('owner', '=', owner)
      .where('id', '>', id)
      .orderBy('id')
      .limit(size)
      .execute();
  }

  async newestId(): Promise<number> {
    return await findNewestId(this.#db);
  }

  async acceptedAfter(id: number, size: number): Promise<AcceptedJob[]> {
    return await listAcceptedAfter(this.#db, id, size);
  }

  async findEnded(uuids: readonly string[]): Promise<Pick<JobRow, 'uuid' | 'owner'>[]> {
    return await findEnded(this.#db, uuids);
  }

  async pending(): Promise<PendingJobs> {
    return await readPending(this.#db);
  }

  async waitingBefore(job: Pick<JobRow, 'turn' | 'id'>): Promise<number> {
    return await countWaitingBefore(this.#db, job);
  }

  async nextRunAt(): Promise<number | undefined> {
    return await nextRunAt(this.#db, this.#clock.now(), await this.#bounds());
  }

  async prune(before: number): Promise<void> {
    await pruneJobs(this.#db, { before, clock: this.#clock });
    await pruneCallers(this.#db, this.#clock.now());
  }
}
