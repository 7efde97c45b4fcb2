import { sql } from 'kysely';
import { countRows, type Db, inTransaction } from './db.ts';
import type { ApiKeyRow, CallbackRow, JobRow } from './schema/tables.ts';

// The same expressions as in the partial indices (schema/first-schema.ts); otherwise SQLite does not use those.
const OPEN = sql<boolean>`done_at is null`;

/** Milliseconds: longer than the longest postponement of an attempt. */
const LONGEST_WAIT = 2 * 3_600_000;

/** The callback for a job's end. */
export interface NewCallback {
  readonly uuid: string;
  readonly keyId: string;
  readonly url: string;
  readonly host: string;
}

/** A delivery under a lease of one process; `attempts` includes this one. */
export interface CallbackLease
  extends Pick<CallbackRow, 'id' | 'uuid' | 'job_id' | 'key_id' | 'url' | 'host' | 'attempts'> {
  /** User of the key; the key's own id once the key is removed. */
  readonly userId: string;
  readonly owner: string;
}

/** Receivers whose deliveries are paused. */
export interface PausedReceivers {
  readonly hosts: readonly string[];
  readonly users: readonly string[];
}

/** Stores a callback, which is due at once if the job has already ended. Stores the same address for a job and key only once. */
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

/** Call together with the job's end. */
export async function makeCallbacksDue(tx: Db, jobUuid: string): Promise<void> {
  await tx
    .updateTable('callbacks')
    .set((eb) => ({ run_at: eb.selectFrom('jobs').select('finished_at').where('uuid', '=', jobUuid) }))
    .where('job_id', '=', (eb) => eb.selectFrom('jobs').select('id').where('uuid', '=', jobUuid))
    .execute();
}

/** Claims the delivery that has been due for the longest time; it is due again at `until`, unless it ends before. */
export async function claimCallback(
  db: Db,
  { owner, now, until, busy }: { owner: string; now: number; until: number; busy: PausedReceivers },
): Promise<CallbackLease | undefined> {
  return await inTransaction(db, async (tx) => {
    const due = openFor(tx, busy).selectAll().where('run_at', '<=', now).orderBy('run_at').limit(1);
    const next = await tx.store.withFreeRows(due).executeTakeFirst(); // skips what another node is claiming
    if (!next) return undefined;
    const attempts = next.attempts + 1;
    await tx
      .updateTable('callbacks')
      .set({ attempts, run_at: until, lease_owner: owner })
      .where('id', '=', next.id)
      .execute();
    return { ...next, userId: await userOf(tx, next.key_id), attempts, owner };
  });
}

/** When the next delivery is due, in milliseconds since the epoch. */
export async function nextCallbackAt(db: Db, busy: PausedReceivers): Promise<number | undefined> {
  const row = await openFor(db, busy)
    .select('run_at')
    .where('run_at', 'is not', null)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst();
  return row?.run_at ?? undefined;
}

/** Makes deliveries due now if their times were near only before the clock was set back. */
export async function resetFutureRunTimes(db: Db, now: number): Promise<void> {
  await db
    .updateTable('callbacks')
    .set({ run_at: now })
    .where(OPEN)
    .where('run_at', '>', now)
    .where(sql<boolean>`(run_at > ${now + LONGEST_WAIT} or (lease_owner is null and created_at > ${now}))`)
    .execute();
}

/** The callback was delivered or abandoned. */
export async function endCallback(db: Db, lease: CallbackLease, now: number): Promise<void> {
  await changeUnderLease(db, lease, { done_at: now, lease_owner: null });
}

/** The delivery failed: the next attempt may start at `runAt`. */
export async function postponeCallback(db: Db, lease: CallbackLease, runAt: number): Promise<void> {
  await changeUnderLease(db, lease, { run_at: runAt, lease_owner: null });
}

/** The delivery was interrupted by this service and does not count. */
export async function returnCallback(db: Db, lease: CallbackLease, now: number): Promise<void> {
  await changeUnderLease(db, lease, { run_at: now, lease_owner: null, attempts: lease.attempts - 1 });
}

async function userOf(db: Db, keyId: string): Promise<string> {
  const key = await db.selectFrom('api_keys').select('user_id').where('id', '=', keyId).executeTakeFirst();
  return key?.user_id ?? keyId;
}

/** Number of a user's callbacks that are still to be delivered, over all its keys. */
export async function countOpenCallbacks(db: Db, userId: string): Promise<number> {
  return await countRows(
    db
      .selectFrom('callbacks')
      .where('key_id', 'in', db.selectFrom('api_keys').select('id').where('user_id', '=', userId))
      .where(OPEN),
  );
}

export async function findCallbackJob(db: Db, jobId: number): Promise<JobRow | undefined> {
  return await db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
}

/** The stored hash and the scopes of a key that is still valid, as is its owner. */
export async function findSigner(
  db: Db,
  keyId: string,
): Promise<Pick<ApiKeyRow, 'hash' | 'scopes'> | undefined> {
  return await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.hash', 'api_keys.scopes'])
    .where('api_keys.id', '=', keyId)
    .where('api_keys.revoked_at', 'is', null)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
}

function openFor(db: Db, { hosts, users }: PausedReceivers) {
  let open = db.selectFrom('callbacks').where(OPEN);
  if (hosts.length > 0) open = open.where('host', 'not in', hosts);
  if (users.length > 0) {
    open = open
      .where('key_id', 'not in', users)
      .where('key_id', 'not in', db.selectFrom('api_keys').select('id').where('user_id', 'in', users));
  }
  return open;
}

/** Changes nothing if the delivery was considered lost and another one has started. */
async function changeUnderLease(db: Db, lease: CallbackLease, change: Partial<CallbackRow>): Promise<void> {
  await db
    .updateTable('callbacks')
    .set(change)
    .where('id', '=', lease.id)
    .where('lease_owner', '=', lease.owner)
    .where('attempts', '=', lease.attempts)
    .execute();
}
