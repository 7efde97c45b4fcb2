import { backOff, type Clock, systemClock } from '../../base/clock.ts';
import type { ServiceEvents } from '../events.ts';
import { deleteIdleCallers, lastTurn, moveQueueClock } from '../store/callers.ts';
import { type Db, hasEffect, inTransaction } from '../store/db.ts';
import { FINISHED, type JobRow, PROCESSING, WAITING } from '../store/schema/tables.ts';
import { type Claim, ClaimsInTurn, claimsAlone, nextRunAt } from './claim.ts';
import {
  databaseLeases,
  type Holders,
  holdersHere,
  type LeaseClock,
  leaseEnd,
  type NodeName,
  processLeases,
} from './leases.ts';
import {
  type ClaimBounds,
  type GeneratedData,
  type JobFailure,
  type JobLeases,
  type Lease,
  QUEUE_TIMES,
  type QueueTimes,
} from './port.ts';
import { changeState, completeWithSkin, type Step, updateJobIdentity } from './states.ts';

export interface StoreQueueOptions {
  readonly self: NodeName;
  readonly clock?: Clock;
  readonly times?: QueueTimes;
  /** The clock that decides when leases end; default: `process`. `database` for processes on several machines. */
  readonly leasesBy?: 'process' | 'database' | undefined;
  /** Tells which workers are gone; default: the process table of this machine. */
  readonly holders?: Holders | undefined;
  /** The current limits over all jobs; default: none. */
  readonly bounds?: () => ClaimBounds | Promise<ClaimBounds>;
  /** Called when jobs end. */
  readonly events?: ServiceEvents;
}

/** The workers' operations on the jobs in the store, and the recovery after a worker has stopped. */
export class StoreQueue implements JobLeases {
  readonly #db: Db;
  readonly #claim: Claim;
  readonly #holders: Holders;
  readonly #clock: Clock;
  readonly #times: QueueTimes;
  readonly #leases: LeaseClock;
  readonly #bounds: () => ClaimBounds | Promise<ClaimBounds>;
  readonly #events: StoreQueueOptions['events'];
  readonly #completing = new Set<Promise<boolean>>();

  constructor(db: Db, options: StoreQueueOptions) {
    this.#db = db;
    this.#holders = options.holders ?? holdersHere(options.self);
    this.#clock = options.clock ?? systemClock;
    this.#times = options.times ?? QUEUE_TIMES;
    const { lease, turnPatience: patience } = this.#times;
    this.#leases =
      options.leasesBy === 'database' ? databaseLeases(db, lease) : processLeases(this.#clock, lease);
    const times = { now: () => this.#clock.now(), end: () => this.#leases.end(), patience };
    this.#claim = db.store.isShared ? new ClaimsInTurn(db, times).claim : claimsAlone(db, times);
    this.#bounds = options.bounds ?? (() => ({}));
    this.#events = options.events;
  }

  async claim(owner: string): Promise<Lease | undefined> {
    await Promise.allSettled(this.#completing); // completions lock their owners, which a claim skips, so others would get their turns
    return await this.#claim(owner, await this.#bounds());
  }

  async adopt(lease: Lease, identity: string): Promise<Lease | undefined> {
    if (lease.job.identity === identity) return lease;
    const bounds = await this.#bounds();
    return await inTransaction(this.#db, (tx) => updateJobIdentity(tx, lease, { identity, bounds }));
  }

  async renew(lease: Lease): Promise<boolean> {
    return await hasEffect(
      this.#db
        .updateTable('jobs')
        .set({ lease_until: leaseEnd(this.#leases.end()) })
        .where('uuid', '=', lease.job.uuid)
        .where(PROCESSING)
        .where('lease_owner', '=', lease.owner),
    );
  }

  async complete(lease: Lease, data: GeneratedData): Promise<boolean> {
    const completing = completeWithSkin(this.#db, { lease, data, now: this.#clock.now() });
    this.#completing.add(completing);
    const isDone = await completing.finally(() => this.#completing.delete(completing));
    if (isDone) this.#events?.emit('jobCompleted', lease.job.uuid);
    return isDone;
  }

  async fail(lease: Lease, failure: JobFailure): Promise<boolean> {
    const again = failure.passing && lease.job.attempts < this.#times.maxAttempts;
    const from = { uuid: lease.job.uuid, from: 'processing', leaseOwner: lease.owner } as const;
    if (!again) return await this.#end(from, failure);
    const why = { error_code: failure.code, error_message: failure.message };
    const first = this.#times.retryDelay;
    const wait = backOff(lease.job.attempts, { first, longest: LONGEST_WAIT });
    const step = { ...from, to: 'waiting' } as const;
    return await changeState(this.#db, step, { ...why, run_at: this.#clock.now() + wait });
  }

  async #end(from: Omit<Step, 'to'>, failure: JobFailure): Promise<boolean> {
    const why = { error_code: failure.code, error_message: failure.message };
    const end = { ...why, finished_at: this.#clock.now() };
    const hasFailed = await changeState(this.#db, { ...from, to: 'failed' }, end);
    if (hasFailed) this.#events?.emit('jobFailed', from.uuid, failure);
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

  /** Frees jobs whose worker is gone. Returns how many. */
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
    return freed.filter(Boolean).length + (await resetFutureJobTimes(this.#db, this.#clock.now()));
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

  /** Fails the owner's waiting jobs; returns their UUIDs. */
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

  async nextRunAt(): Promise<number | undefined> {
    return await nextRunAt(this.#db, this.#clock.now(), await this.#bounds());
  }
}

/** Jobs deleted per statement: a longer one would block everyone else. */
const PRUNED_AT_ONCE = 5_000;

/** Deletes jobs that ended before `before`, milliseconds since the epoch, a part at a time. */
export async function pruneJobs(
  db: Db,
  before: number,
  { clock, atOnce = PRUNED_AT_ONCE }: { readonly clock: Pick<Clock, 'sleep'>; readonly atOnce?: number },
): Promise<void> {
  const old = db
    .deleteFrom('jobs')
    .where('id', 'in', (jobs) =>
      jobs.selectFrom('jobs').select('id').where(FINISHED).where('finished_at', '<', before).limit(atOnce),
    );
  while (await hasEffect(old)) await clock.sleep(0); // lets others use the store
}

/**
 * Deletes callers without any remaining state. While no job waits, no owner is ahead of another: the clock then
 * advances to the last turn given; otherwise, callers with a single job would be kept forever. This is not one
 * transaction, so that the clock's lock is not held while waiting for those of callers.
 */
export async function pruneCallers(db: Db, now: number): Promise<void> {
  const waiting = await db.selectFrom('jobs').select('id').where(WAITING).limit(1).executeTakeFirst();
  if (!waiting) await moveQueueClock(db, await lastTurn(db));
  await deleteIdleCallers(db, now);
}

/** Milliseconds. Nothing postpones a job for longer. */
const LONGEST_WAIT = 12 * 3_600_000;

/** Lets jobs run that were postponed before the clock was set back. Returns how many. */
export async function resetFutureJobTimes(db: Db, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ run_at: now })
    .where(WAITING)
    .where('run_at', '>', now)
    .where((eb) => eb.or([eb('created_at', '>', now), eb('run_at', '>', now + LONGEST_WAIT)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
