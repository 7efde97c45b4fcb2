import { countRows, type Db, inTransaction } from './db.ts';
import { lockQueue } from './locks.ts';
import type { UpstreamJobRow } from './schema/tables.ts';

/** A submission about to be sent. */
export type UpstreamIntent = Omit<UpstreamJobRow, 'job_id' | 'settles_at'>;

export async function findUpstreamJob(db: Db, identity: string): Promise<UpstreamJobRow | undefined> {
  return await db.selectFrom('upstream_jobs').selectAll().where('identity', '=', identity).executeTakeFirst();
}

/** All records: as many as there are slots, and a few that were abandoned. */
export async function listUpstreamJobs(db: Db): Promise<UpstreamJobRow[]> {
  return await db.selectFrom('upstream_jobs').selectAll().execute();
}

/**
 * Records that a submission is about to be sent. A reader who finds it without a job knows that it may have arrived.
 * `full`: `slots` others are in progress. `changed`: the record differs from what was `seen`, so another
 * process is working on it. Submissions before `since` are removed.
 */
export async function beginUpstreamJob(
  db: Db,
  intent: UpstreamIntent,
  { seen, slots, since }: { seen: UpstreamJobRow | undefined; slots: number; since: number },
): Promise<'begun' | 'full' | 'changed'> {
  return await inTransaction(db, async (tx) => {
    await lockQueue(tx);
    await tx.deleteFrom('upstream_jobs').where('submitted_at', '<', since).execute();
    if (!isSame(await findUpstreamJob(tx, intent.identity), seen)) return 'changed';
    const others = await countRows(tx.selectFrom('upstream_jobs').where('identity', '<>', intent.identity));
    if (others >= slots) return 'full';
    const { identity, ...rest } = { ...intent, job_id: null, settles_at: null };
    await tx
      .insertInto('upstream_jobs')
      .values({ identity, ...rest })
      .onConflict((conflict) => conflict.column('identity').doUpdateSet(rest))
      .execute();
    return 'begun';
  });
}

function isSame(found: UpstreamJobRow | undefined, seen: UpstreamJobRow | undefined): boolean {
  if (!found || !seen) return found === seen;
  const { job_id, idempotency_key, submitted_at, sender } = found;
  return (
    job_id === seen.job_id &&
    idempotency_key === seen.idempotency_key &&
    submitted_at === seen.submitted_at &&
    sender === seen.sender
  );
}

/** The request has ended without an answer. If it arrived, its job is listed by `settlesAt`. */
export async function endUpstreamRequest(
  db: Db,
  { identity, sender }: Pick<UpstreamIntent, 'identity' | 'sender'>,
  settlesAt: number,
): Promise<void> {
  await db
    .updateTable('upstream_jobs')
    .set({ settles_at: settlesAt })
    .where('identity', '=', identity)
    .where('sender', '=', sender)
    .where('job_id', 'is', null)
    .execute();
}

export async function acceptUpstreamJob(db: Db, identity: string, jobId: string): Promise<void> {
  await db.updateTable('upstream_jobs').set({ job_id: jobId }).where('identity', '=', identity).execute();
}

export async function deleteUpstreamJob(db: Db, identity: string): Promise<void> {
  await db.deleteFrom('upstream_jobs').where('identity', '=', identity).execute();
}
