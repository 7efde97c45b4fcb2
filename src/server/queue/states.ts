import { sql } from 'kysely';
import { newUuid } from '../../base/text.ts';
import type { JobStatus } from '../../protocol/job.ts';
import { makeCallbacksDue } from '../store/callbacks.ts';
import { type Db, exists, hasEffect, inTransaction } from '../store/db.ts';
import { lockOwnerOfJob, lockQueue } from '../store/locks.ts';
import { isBlocked } from '../store/moderation.ts';
import { PreparedQuery } from '../store/prepared-query.ts';
import { type JobRow, PROCESSING, type TextureDataRow } from '../store/schema/tables.ts';
import { addSkin } from '../store/skins.ts';
import { keepTextureData } from '../store/textures.ts';
import type { ClaimBounds, GeneratedData, Lease } from './port.ts';

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

/** A finished job, the data made for it, and the time. */
interface CompletedWork {
  readonly lease: Lease;
  readonly data: GeneratedData;
  readonly now: number;
}

/**
 * Stores the signed data and the caller's skin record and completes the job, in one transaction. False if the lease is
 * lost, or an operator has blocked the image. An owner's jobs end one after the other, so the second one for the same
 * data finds the record of the first.
 */
export async function completeWithSkin(db: Db, completion: CompletedWork): Promise<boolean> {
  const values = valuesOf(completion);
  return await db.store.commit(db, async (tx) => {
    await lockOwnerOfJob(tx, values.job);
    const ended = await COMPLETE.first(tx, values, values.visibility);
    if (!ended) return false;
    await keepTextureData(tx, textureDataOf(completion));
    const { newSkin: uuid, owner, identity, name = null, visibility, now } = values;
    if (ended.skin_uuid === uuid)
      await addSkin(tx, { uuid, owner, identity, name, visibility, created_at: now });
    if (ended.callback !== null) await makeCallbacksDue(tx, values.job);
    return true;
  });
}

function valuesOf({ lease: { job, owner: leaseOwner }, now }: CompletedWork): Values {
  const { owner, identity, name, visibility } = job;
  const skin = { newSkin: newUuid(), owner, identity, visibility, ...(name !== null && { name }) };
  return { job: job.uuid, leaseOwner, textureHash: job.texture_hash, now, ...skin };
}

function textureDataOf({ lease: { job }, data, now }: CompletedWork): TextureDataRow {
  const { identity, texture_hash, variant, cape_hash } = job;
  return { ...data, identity, texture_hash, variant, cape_hash, created_at: now };
}

interface Values {
  readonly job: string;
  readonly leaseOwner: string;
  readonly newSkin: string;
  readonly textureHash: string;
  readonly owner: string;
  readonly identity: string;
  readonly visibility: Lease['job']['visibility'];
  /** Without a name, a record with any name matches. */
  readonly name?: string;
  readonly now: number;
}

/** Returns no row if the lease is lost or the image is blocked. */
const COMPLETE = new PreparedQuery(
  (db, { job, leaseOwner, newSkin, textureHash, now, owner, identity, name }: Values, visibility) =>
    updateState(db, 'processing', 'completed')
      .set((eb) => {
        const own = eb
          .selectFrom('skins')
          .select('skins.uuid')
          .where('skins.owner', '=', owner)
          .where('skins.identity', '=', identity)
          .where('skins.visibility', '=', sql.lit(visibility as Values['visibility']))
          .orderBy('skins.id')
          .limit(sql.lit(1));
        const matching = name === undefined ? own : own.where('skins.name', '=', name);
        return { skin_uuid: eb.fn.coalesce(matching, eb.val(newSkin)) };
      })
      .set({ lease_owner: null, lease_until: null, error_code: null, error_message: null, finished_at: now })
      .where('uuid', '=', job)
      .where('lease_owner', '=', leaseOwner)
      .where((eb) => eb.not(isBlocked(textureHash)))
      .returning('skin_uuid')
      .returning(
        sql<number | null>`(select id from callbacks where job_id = jobs.id limit 1)`.as('callback'),
      ),
);

/**
 * Gives a leased job the identity of the data that the current signer will make, because the service may have been
 * restarted with another generator, key or address while the job waited. Call this in a transaction that excludes other
 * writers. Undefined if the lease is lost, or the job had to go back to the queue.
 */
export async function updateJobIdentity(
  tx: Db,
  lease: Lease,
  { identity, bounds }: { identity: string; bounds: ClaimBounds },
): Promise<Lease | undefined> {
  const { job, owner } = lease;
  if (bounds.onePerIdentity) await lockQueue(tx);
  const isHeld = await hasEffect(
    tx
      .updateTable('jobs')
      .set({ identity })
      .where('uuid', '=', job.uuid)
      .where('lease_owner', '=', owner)
      .where(PROCESSING),
  );
  if (!isHeld) return undefined;
  if (!bounds.onePerIdentity || !(await isTwinProcessed(tx, job.uuid, identity))) {
    return { owner, job: { ...job, identity } };
  }
  const back = { uuid: job.uuid, from: 'processing', to: 'waiting', leaseOwner: owner } as const;
  await changeState(tx, back, { attempts: job.attempts - 1 });
  return undefined;
}

async function isTwinProcessed(tx: Db, uuid: string, identity: string): Promise<boolean> {
  const twin = tx.selectFrom('jobs').select('id').where('identity', '=', identity).where('uuid', '<>', uuid);
  return await exists(twin.where(PROCESSING));
}
