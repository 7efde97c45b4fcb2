import { type Clock, systemClock } from '../../clock.ts';
import type { Observer } from '../observer.ts';
import { prepare } from '../store/prepared.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import { claimNext, countWaitingBefore, nextRunAt } from './claim.ts';
import { completeWithSkin } from './complete.ts';
import { FINISHED, PROCESSING } from './conditions.ts';
import { recordKnownJob, submitJob } from './enqueue.ts';
import { findRepeated } from './idempotency.ts';
import { isGone, type ProcessName } from './lease-owner.ts';
import { listJobStates, listJobs } from './lists.ts';
import {
  type ClaimBounds,
  type GeneratedData,
  type JobFailure,
  type JobQueue,
  type JobState,
  type Lease,
  type NewJob,
  QUEUE_TIMES,
  type QueueTimes,
  type Recorded,
  type Repeated,
  type Submission,
  type SubmitLimits,
} from './port.ts';
import { pruneCallers } from './prune-callers.ts';
import { changeState } from './states.ts';

export interface StoreQueueOptions {
  readonly self: ProcessName;
  readonly clock?: Clock;
  readonly times?: QueueTimes;
  /** What holds for all jobs together, at this moment; nothing unless given. */
  readonly bounds?: () => ClaimBounds;
  /** Hears how jobs end. */
  readonly observer?: Pick<Observer, 'jobCompleted' | 'jobFailed'>;
}

/** Jobs that are forgotten in one statement: a longer one would keep everybody waiting. */
const PRUNED_AT_ONCE = 5_000;

const FIND = prepare((db, { uuid }: Pick<JobRow, 'uuid'>) =>
  db.selectFrom('jobs').selectAll().where('uuid', '=', uuid),
);

/** The queue of the embedded store: several workers and several processes on one database. */
export class StoreQueue implements JobQueue {
  readonly #db: Db;
  readonly #self: ProcessName;
  readonly #clock: Clock;
  readonly #times: QueueTimes;
  readonly #bounds: () => ClaimBounds;
  readonly #observer: StoreQueueOptions['observer'];

  constructor(db: Db, options: StoreQueueOptions) {
    this.#db = db;
    this.#self = options.self;
    this.#clock = options.clock ?? systemClock;
    this.#times = options.times ?? QUEUE_TIMES;
    this.#bounds = options.bounds ?? (() => ({}));
    this.#observer = options.observer;
  }

  async submit(job: NewJob, limits: SubmitLimits): Promise<Submission> {
    return await inTransaction(this.#db, (tx) => submitJob(tx, job, { limits, now: this.#clock.now() }));
  }

  async recordKnown(job: NewJob, skinUuid: string): Promise<Recorded> {
    const now = this.#clock.now();
    return await recordKnownJob(this.#db, job, { skinUuid, now });
  }

  async claim(owner: string): Promise<Lease | undefined> {
    return await inTransaction(this.#db, async (tx) => {
      const now = this.#clock.now();
      const lease = { now, until: now + this.#times.lease, bounds: this.#bounds() };
      return await claimNext(tx, owner, lease);
    });
  }

  async renew(lease: Lease): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('jobs')
      .set({ lease_until: this.#clock.now() + this.#times.lease })
      .where('uuid', '=', lease.job.uuid)
      .where('status', '=', 'processing')
      .where('lease_owner', '=', lease.owner)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async complete(lease: Lease, data: GeneratedData): Promise<boolean> {
    const isDone = await completeWithSkin(this.#db, lease, data, this.#clock.now());
    if (isDone) this.#observer?.jobCompleted(lease.job.uuid);
    return isDone;
  }

  async fail(lease: Lease, failure: JobFailure): Promise<boolean> {
    const again = failure.passing && lease.job.attempts < this.#times.maxAttempts;
    const now = this.#clock.now();
    const from = { uuid: lease.job.uuid, from: 'processing', leaseOwner: lease.owner } as const;
    const why = { error_code: failure.code, error_message: failure.message };
    if (!again) {
      const hasFailed = await changeState(this.#db, { ...from, to: 'failed' }, { ...why, finished_at: now });
      if (hasFailed) this.#observer?.jobFailed(lease.job.uuid, failure);
      return hasFailed;
    }
    const wait = this.#times.retryDelay * 2 ** (lease.job.attempts - 1);
    return await changeState(this.#db, { ...from, to: 'waiting' }, { ...why, run_at: now + wait });
  }

  async release(lease: Lease, runAt?: number): Promise<boolean> {
    const step = {
      uuid: lease.job.uuid,
      from: 'processing',
      to: 'waiting',
      leaseOwner: lease.owner,
    } as const;
    const later = runAt === undefined ? {} : { run_at: runAt };
    return await changeState(this.#db, step, { attempts: lease.job.attempts - 1, ...later });
  }

  async recover(): Promise<number> {
    const leased = await this.#db.selectFrom('jobs').selectAll().where(PROCESSING).execute();
    const now = this.#clock.now();
    const lost = leased.filter(
      (job) => (job.lease_until ?? 0) < now || isGone(job.lease_owner ?? '', this.#self),
    );
    const freed = await Promise.all(lost.map((job) => this.#free(job)));
    return freed.filter(Boolean).length;
  }

  /** A job whose worker vanished goes back at once, unless it has taken too many workers with it. */
  async #free(job: JobRow): Promise<boolean> {
    const lease = { job, owner: job.lease_owner ?? '' };
    const { uuid } = job;
    const leaseUntil = job.lease_until ?? 0; // one that is renewed just now is alive
    const from = { uuid, from: 'processing', leaseOwner: lease.owner, leaseUntil } as const;
    if (job.attempts < this.#times.maxAttempts)
      return await changeState(this.#db, { ...from, to: 'waiting' }, {});
    const message = `The worker stopped in the middle of it, ${job.attempts} times.`;
    return await this.fail(lease, { code: 'job_failed', message, passing: false });
  }

  async find(uuid: string): Promise<JobRow | undefined> {
    return await FIND.first(this.#db, { uuid });
  }

  async findAll(uuids: readonly string[]): Promise<JobRow[]> {
    return await this.#db.selectFrom('jobs').selectAll().where('uuid', 'in', uuids).execute();
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

  async waitingBefore(job: Pick<JobRow, 'turn' | 'id'>): Promise<number> {
    return await countWaitingBefore(this.#db, job);
  }

  async nextRunAt(): Promise<number | undefined> {
    return await nextRunAt(this.#db, this.#bounds());
  }

  async prune(before: number): Promise<void> {
    while ((await this.#pruneSome(before)) > 0) await this.#clock.sleep(0); // others want the store meanwhile
    await inTransaction(this.#db, (tx) => pruneCallers(tx, this.#clock.now()));
  }

  async #pruneSome(before: number): Promise<bigint> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('jobs')
      .where('id', 'in', (jobs) =>
        jobs
          .selectFrom('jobs')
          .select('id')
          .where(FINISHED)
          .where('finished_at', '<', before)
          .limit(PRUNED_AT_ONCE),
      )
      .executeTakeFirst();
    return numDeletedRows;
  }
}
