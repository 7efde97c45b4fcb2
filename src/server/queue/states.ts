/**
 * The life of a job:
 *
 *     (accepted) → waiting → processing → completed
 *                     ↑           │  ╰──→ failed
 *                     ╰───────────╯
 *     waiting → failed
 *
 * waiting → processing    a worker claims it: attempts + 1, the lease is the worker's
 * waiting → failed        its user was disabled
 * processing → completed  the worker that holds the lease has stored the skin
 * processing → failed     that worker reports a permanent failure, or attempts are used up
 * processing → waiting    a temporary failure, or a lease that was returned or expired
 *
 * A request for existing skin data gets a job that is created as completed. Only this file changes a status.
 */
import { sql } from 'kysely';
import type { JobStatus } from '../../protocol/job.ts';
import { makeCallbacksDue } from '../store/callbacks.ts';
import { type Db, inTransaction, lockOwnerOfJob } from '../store/db.ts';
import type { JobRow } from '../store/schema/tables.ts';

const STEPS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  waiting: ['processing', 'failed'],
  processing: ['completed', 'failed', 'waiting'],
  completed: [],
  failed: [],
};

export interface Step {
  readonly uuid: string;
  readonly from: JobStatus;
  readonly to: JobStatus;
  /** The lease that the job must be under for the transition. */
  readonly leaseOwner?: string;
  /** The expiry that this lease must have. */
  readonly leaseUntil?: number;
}

type Patch = Partial<
  Pick<
    JobRow,
    | 'attempts'
    | 'lease_owner'
    | 'lease_until'
    | 'started_at'
    | 'run_at'
    | 'skin_uuid'
    | 'error_code'
    | 'error_message'
    | 'finished_at'
  >
>;

export function assertLegal(from: JobStatus, to: JobStatus): void {
  if (!STEPS[from].includes(to)) throw new Error(`A job cannot go from ${from} to ${to}.`);
}

/**
 * Makes one transition. False if the job is not (or no longer) in the starting state, or under another lease: another
 * worker took it, and the caller must discard its work.
 */
export async function changeState(db: Db, step: Step, patch: Patch): Promise<boolean> {
  assertLegal(step.from, step.to);
  const isEnd = STEPS[step.to].length === 0;
  return await inTransaction(db, async (tx) => {
    await lockOwnerOfJob(tx, step.uuid);
    const isTaken = await takeStep(tx, step, patch);
    if (isTaken && isEnd) await makeCallbacksDue(tx, step.uuid); // in the same transaction, or a receiver might never be called
    return isTaken;
  });
}

/** Starts a statement that makes this transition, for what `changeState` cannot do at once. */
export function updateState(db: Pick<Db, 'updateTable'>, from: JobStatus, to: JobStatus) {
  assertLegal(from, to);
  return db.updateTable('jobs').set({ status: to }).where('status', '=', sql.lit(from));
}

async function takeStep(
  db: Db,
  { uuid, from, to, leaseOwner, leaseUntil }: Step,
  patch: Patch,
): Promise<boolean> {
  const lease = to === 'processing' ? {} : { lease_owner: null, lease_until: null };
  let update = updateState(db, from, to)
    .set({ ...lease, ...patch })
    .where('uuid', '=', uuid);
  if (leaseOwner !== undefined) update = update.where('lease_owner', '=', leaseOwner);
  if (leaseUntil !== undefined) update = update.where('lease_until', '=', leaseUntil);
  return (await update.executeTakeFirst()).numUpdatedRows === 1n;
}
