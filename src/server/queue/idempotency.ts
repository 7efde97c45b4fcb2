import type { Db } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import type { NewJob, Repeated } from './port.ts';

/** The job that an owner's earlier request with this key got, as long as the job is kept. */
async function findKeyedJob(db: Db, owner: string, key: string): Promise<JobRow | undefined> {
  return await db
    .selectFrom('idempotency_keys')
    .innerJoin('jobs', 'jobs.id', 'idempotency_keys.job_id')
    .selectAll('jobs')
    .where('idempotency_keys.owner', '=', owner)
    .where('idempotency_keys.key', '=', key)
    .executeTakeFirst();
}

/** What an earlier request with the same key makes of this one; undefined when it is the first. */
export async function findRepeated(db: Db, job: NewJob): Promise<Repeated | undefined> {
  if (job.idempotencyKey === undefined) return undefined;
  const earlier = await findKeyedJob(db, job.owner, job.idempotencyKey);
  if (!earlier) return undefined;
  return asksForTheSame(earlier, job) ? { kind: 'repeated', job: earlier } : { kind: 'key_taken' };
}

/** Keeps the request's key, if it has one, for the job that answered it. */
export async function keepKey(tx: Db, { owner, idempotencyKey }: NewJob, { id }: JobRow): Promise<void> {
  if (idempotencyKey === undefined) return;
  await tx.insertInto('idempotency_keys').values({ owner, key: idempotencyKey, job_id: id }).execute();
}

/** By what the caller sent: who signs may have changed since, and that is no fault of the request. */
function asksForTheSame(earlier: JobRow, job: NewJob): boolean {
  return (
    earlier.texture_hash === job.textureHash &&
    earlier.variant === job.variant &&
    earlier.visibility === job.visibility &&
    earlier.name === job.name &&
    earlier.cape_hash === job.capeHash
  );
}
