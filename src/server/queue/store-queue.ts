import { sql } from 'kysely';
import { type Clock, systemClock } from '../../clock.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import { readUsage, spendOne } from '../store/usage.ts';
import { completeWithSkin } from './complete.ts';
import { findRepeated, keepKey } from './idempotency.ts';
import { isGone, type ProcessName } from './lease-owner.ts';
import {
  type GeneratedData,
  type JobFailure,
  type JobQueue,
  type Lease,
  type NewJob,
  QUEUE_TIMES,
  type QueueTimes,
  type Recorded,
  type Repeated,
  type Submission,
  type SubmitLimits,
} from './port.ts';
import { changeState } from './states.ts';

// In the words of the partial indices (store/migrations), or they are not used.
const PENDING = sql<boolean>`status in ('waiting', 'processing')`;
const WAITING = sql<boolean>`status = 'waiting'`;
const PROCESSING = sql<boolean>`status = 'processing'`;

export interface StoreQueueOptions {
  readonly self: ProcessName;
  readonly clock?: Clock;
  readonly times?: QueueTimes;
}

/** The queue of the embedded store: several workers and several processes on one database. */
export class StoreQueue implements JobQueue {
  readonly #db: Db;
  readonly #self: ProcessName;
  readonly #clock: Clock;
  readonly #times: QueueTimes;

  constructor(db: Db, options: StoreQueueOptions) {
    this.#db = db;
    this.#self = options.self;
    this.#clock = options.clock ?? systemClock;
    this.#times = options.times ?? QUEUE_TIMES;
  }

  async submit(job: NewJob, limits: SubmitLimits): Promise<Submission> {
    return await inTransaction(this.#db, async (tx) => {
      const repeated = await findRepeated(tx, job);
      if (repeated) return repeated;
      const same = await findPending(tx, job);
      if (same) {
        await keepKey(tx, job, same);
        return { kind: 'joined', job: same };
      }
      const usage = await readUsage(tx, job.owner, this.#clock.now());
      if (usage.minute_used >= limits.perMinute || usage.hour_used >= limits.perHour) {
        return { kind: 'too_fast', usage };
      }
      const queued = await insertWithinSpots(tx, this.#newRow(job), limits.spots);
      if (!queued) return { kind: 'full', pending: limits.spots };
      await spendOne(tx, usage);
      await keepKey(tx, job, queued);
      return { kind: 'queued', job: queued };
    });
  }

  async recordKnown(job: NewJob, skinUuid: string): Promise<Recorded> {
    const known = { status: 'completed', skin_uuid: skinUuid, finished_at: this.#clock.now() } as const;
    const row = { ...this.#newRow(job), ...known };
    return await inTransaction(this.#db, async (tx) => {
      const repeated = await findRepeated(tx, job);
      if (repeated) return repeated;
      const recorded = await tx.insertInto('jobs').values(row).returningAll().executeTakeFirstOrThrow();
      await keepKey(tx, job, recorded);
      return { kind: 'recorded', job: recorded };
    });
  }

  async claim(owner: string): Promise<Lease | undefined> {
    return await inTransaction(this.#db, async (tx) => {
      const now = this.#clock.now();
      const next = await tx
        .selectFrom('jobs')
        .selectAll()
        .where(WAITING)
        .where('run_at', '<=', now)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      if (!next) return undefined;
      const held = { attempts: next.attempts + 1, lease_owner: owner, lease_until: now + this.#times.lease };
      await changeState(tx, { uuid: next.uuid, from: 'waiting', to: 'processing' }, held);
      return { owner, job: { ...next, ...held, status: 'processing' } };
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
    return await completeWithSkin(this.#db, lease, data, this.#clock.now());
  }

  async fail(lease: Lease, failure: JobFailure): Promise<boolean> {
    const again = failure.passing && lease.job.attempts < this.#times.maxAttempts;
    const now = this.#clock.now();
    const from = { uuid: lease.job.uuid, from: 'processing', leaseOwner: lease.owner } as const;
    const why = { error_code: failure.code, error_message: failure.message };
    if (!again) return await changeState(this.#db, { ...from, to: 'failed' }, { ...why, finished_at: now });
    const wait = this.#times.retryDelay * 2 ** (lease.job.attempts - 1);
    return await changeState(this.#db, { ...from, to: 'waiting' }, { ...why, run_at: now + wait });
  }

  async release(lease: Lease): Promise<boolean> {
    const step = {
      uuid: lease.job.uuid,
      from: 'processing',
      to: 'waiting',
      leaseOwner: lease.owner,
    } as const;
    return await changeState(this.#db, step, { attempts: lease.job.attempts - 1 });
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
    const from = { uuid: job.uuid, from: 'processing', leaseOwner: lease.owner } as const;
    if (job.attempts < this.#times.maxAttempts)
      return await changeState(this.#db, { ...from, to: 'waiting' }, {});
    const message = `The worker stopped in the middle of it, ${job.attempts} times.`;
    return await this.fail(lease, { code: 'job_failed', message, passing: false });
  }

  async find(uuid: string): Promise<JobRow | undefined> {
    return await this.#db.selectFrom('jobs').selectAll().where('uuid', '=', uuid).executeTakeFirst();
  }

  async findAll(uuids: readonly string[]): Promise<JobRow[]> {
    return await this.#db.selectFrom('jobs').selectAll().where('uuid', 'in', uuids).execute();
  }

  async findRepeated(job: NewJob): Promise<Repeated | undefined> {
    return await findRepeated(this.#db, job);
  }

  async list(owner: string, size: number): Promise<JobRow[]> {
    const own = this.#db.selectFrom('jobs').selectAll().where('owner', '=', owner);
    const newest = await own.orderBy('id', 'desc').limit(size).execute();
    const oldest = newest.at(-1)?.id ?? 0;
    // Their order and bound are not the database's work: with them it would walk all of the owner's jobs.
    const pending = (await own.where(PENDING).execute()).toSorted((a, b) => b.id - a.id);
    return [...newest, ...pending.filter(({ id }) => id < oldest)];
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

  async waitingBefore(id: number): Promise<number> {
    const row = await this.#db
      .selectFrom('jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(WAITING)
      .where('id', '<', id)
      .executeTakeFirstOrThrow();
    return row.count;
  }

  async nextRunAt(): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('jobs')
      .select((eb) => eb.fn.min('run_at').as('at'))
      .where(WAITING)
      .executeTakeFirst();
    return row?.at ?? undefined;
  }

  async prune(before: number): Promise<void> {
    await this.#db
      .deleteFrom('jobs')
      .where(sql<boolean>`finished_at is not null`)
      .where('finished_at', '<', before)
      .execute();
  }

  #newRow(job: NewJob): Omit<JobRow, 'id'> {
    const now = this.#clock.now();
    return {
      uuid: job.uuid,
      owner: job.owner,
      status: 'waiting',
      request_key: job.requestKey,
      identity: job.identity,
      texture_hash: job.textureHash,
      variant: job.variant,
      visibility: job.visibility,
      name: job.name,
      skin_uuid: null,
      error_code: null,
      error_message: null,
      attempts: 0,
      run_at: now,
      lease_owner: null,
      lease_until: null,
      created_at: now,
      finished_at: null,
    };
  }
}

async function findPending(tx: Db, job: NewJob): Promise<JobRow | undefined> {
  return await tx
    .selectFrom('jobs')
    .selectAll()
    .where('owner', '=', job.owner)
    .where('request_key', '=', job.requestKey)
    .where(PENDING)
    .executeTakeFirst();
}

/**
 * Inserts while the owner has fewer than `spots` pending jobs: counting and inserting are one
 * statement, so two requests at once can never both take the last spot.
 */
async function insertWithinSpots(
  tx: Db,
  row: Omit<JobRow, 'id'>,
  spots: number,
): Promise<JobRow | undefined> {
  const columns = Object.keys(row) as (keyof typeof row)[];
  const pending = tx
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('owner', '=', row.owner)
    .where(PENDING);
  const values = tx
    .selectNoFrom((eb) => columns.map((column) => eb.val(row[column]).as(column)))
    .where(pending, '<', spots);
  return await tx.insertInto('jobs').columns(columns).expression(values).returningAll().executeTakeFirst();
}
