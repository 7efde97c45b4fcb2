import { sql } from 'kysely';
import { prepare } from './prepared.ts';
import { type Db, inTransaction } from './store.ts';
import type { CallbackRow, JobRow } from './tables.ts';

// In the words of the partial indices (0007-callbacks.ts), or they are not used.
const OPEN = sql<boolean>`done_at is null`;

/** Whom to tell of a job's end. */
export interface NewCallback {
  readonly uuid: string;
  readonly keyId: string;
  readonly url: string;
  readonly host: string;
}

/** A delivery that one process has taken on. */
export interface CallbackLease {
  readonly id: number;
  readonly uuid: string;
  readonly jobId: number;
  readonly keyId: string;
  readonly url: string;
  readonly host: string;
  /** This one included. */
  readonly attempts: number;
  readonly owner: string;
}

/** Receivers that get nothing more for now. */
export interface Busy {
  readonly hosts: readonly string[];
  readonly keys: readonly string[];
}

/** Due at once when the job has ended already. The same address for the same job and key is kept once. */
export async function keepCallback(
  tx: Db,
  { uuid, keyId, url, host }: NewCallback,
  job: Pick<JobRow, 'id' | 'finished_at'>,
  now: number,
): Promise<void> {
  await tx
    .insertInto('callbacks')
    .values({
      uuid,
      job_id: job.id,
      key_id: keyId,
      url,
      host,
      attempts: 0,
      run_at: job.finished_at,
      lease_owner: null,
      created_at: now,
      done_at: null,
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'key_id', 'url']).doNothing())
    .execute();
}

const MAKE_DUE = prepare((db, { jobUuid }: { jobUuid: string }) =>
  db
    .updateTable('callbacks')
    .set((eb) => ({ run_at: eb.selectFrom('jobs').select('finished_at').where('uuid', '=', jobUuid) }))
    .where('job_id', '=', (eb) => eb.selectFrom('jobs').select('id').where('uuid', '=', jobUuid)),
);

/** To be called together with the job's end. */
export async function makeCallbacksDue(tx: Db, jobUuid: string): Promise<void> {
  await MAKE_DUE.run(tx, { jobUuid });
}

/** Takes on the delivery that has been due for longest; it is due again at `until`, unless it ends before. */
export async function claimCallback(
  db: Db,
  { owner, now, until, busy }: { owner: string; now: number; until: number; busy: Busy },
): Promise<CallbackLease | undefined> {
  return await inTransaction(db, async (tx) => {
    const next = await openFor(tx, busy)
      .selectAll()
      .where('run_at', '<=', now)
      .orderBy('run_at')
      .limit(1)
      .executeTakeFirst();
    if (!next) return undefined;
    const attempts = next.attempts + 1;
    await tx
      .updateTable('callbacks')
      .set({ attempts, run_at: until, lease_owner: owner })
      .where('id', '=', next.id)
      .execute();
    return { ...leaseOf(next), attempts, owner };
  });
}

/** When the next delivery is due, in milliseconds since the epoch. */
export async function nextCallbackAt(db: Db, busy: Busy): Promise<number | undefined> {
  const row = await openFor(db, busy)
    .select('run_at')
    .where('run_at', 'is not', null)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst();
  return row?.run_at ?? undefined;
}

/** Delivered, or given up. */
export async function endCallback(db: Db, lease: CallbackLease, now: number): Promise<void> {
  await changeUnderLease(db, lease, { done_at: now, lease_owner: null });
}

/** The delivery failed: the next one may begin at `runAt`. */
export async function postponeCallback(db: Db, lease: CallbackLease, runAt: number): Promise<void> {
  await changeUnderLease(db, lease, { run_at: runAt, lease_owner: null });
}

/** The delivery was broken off for reasons of our own and does not count. */
export async function returnCallback(db: Db, lease: CallbackLease, now: number): Promise<void> {
  await changeUnderLease(db, lease, { run_at: now, lease_owner: null, attempts: lease.attempts - 1 });
}

/** How many of a key's callbacks are still to be delivered. */
export async function countOpenCallbacks(db: Db, keyId: string): Promise<number> {
  const { count } = await db
    .selectFrom('callbacks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('key_id', '=', keyId)
    .where(OPEN)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findCallbackJob(db: Db, jobId: number): Promise<JobRow | undefined> {
  return await db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
}

/** The stored hash of a key that is still good, its owner too. */
export async function findSigningHash(db: Db, keyId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select('api_keys.hash')
    .where('api_keys.id', '=', keyId)
    .where('api_keys.revoked_at', 'is', null)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  return row?.hash;
}

function openFor(db: Db, { hosts, keys }: Busy) {
  let open = db.selectFrom('callbacks').where(OPEN);
  if (hosts.length > 0) open = open.where('host', 'not in', hosts);
  if (keys.length > 0) open = open.where('key_id', 'not in', keys);
  return open;
}

function leaseOf({
  id,
  uuid,
  job_id,
  key_id,
  url,
  host,
}: CallbackRow): Omit<CallbackLease, 'attempts' | 'owner'> {
  return { id, uuid, jobId: job_id, keyId: key_id, url, host };
}

/** Changes nothing when the delivery was taken for lost and another has begun. */
async function changeUnderLease(db: Db, lease: CallbackLease, change: Partial<CallbackRow>): Promise<void> {
  await db
    .updateTable('callbacks')
    .set(change)
    .where('id', '=', lease.id)
    .where('lease_owner', '=', lease.owner)
    .where('attempts', '=', lease.attempts)
    .execute();
}
