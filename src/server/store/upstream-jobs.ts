import { type Db, inTransaction } from './store.ts';
import type { UpstreamJobRow } from './tables.ts';

/** A submission about to be sent. */
export type UpstreamIntent = Omit<UpstreamJobRow, 'job_id'>;

export async function findUpstreamJob(db: Db, identity: string): Promise<UpstreamJobRow | undefined> {
  return await db.selectFrom('upstream_jobs').selectAll().where('identity', '=', identity).executeTakeFirst();
}

/** All that are kept: as many as there are spots, and a few that nobody came back for. */
export async function listUpstreamJobs(db: Db): Promise<UpstreamJobRow[]> {
  return await db.selectFrom('upstream_jobs').selectAll().execute();
}

/**
 * Writes down that a submission is about to be sent: whoever finds it without a job knows that it may have
 * arrived. False when as many others as `spots` are under way. Those submitted before `since` are forgotten.
 */
export async function beginUpstreamJob(
  db: Db,
  intent: UpstreamIntent,
  { spots, since }: { spots: number; since: number },
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    await tx.deleteFrom('upstream_jobs').where('submitted_at', '<', since).execute();
    const { count } = await tx
      .selectFrom('upstream_jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('identity', '<>', intent.identity)
      .executeTakeFirstOrThrow();
    if (Number(count) >= spots) return false;
    const { identity, ...rest } = intent;
    await tx
      .insertInto('upstream_jobs')
      .values({ ...intent, job_id: null })
      .onConflict((conflict) => conflict.column('identity').doUpdateSet({ ...rest, job_id: null }))
      .execute();
    return true;
  });
}

/** Keeps which job it became. */
export async function acceptUpstreamJob(db: Db, identity: string, jobId: string): Promise<void> {
  await db.updateTable('upstream_jobs').set({ job_id: jobId }).where('identity', '=', identity).execute();
}

export async function dropUpstreamJob(db: Db, identity: string): Promise<void> {
  await db.deleteFrom('upstream_jobs').where('identity', '=', identity).execute();
}
