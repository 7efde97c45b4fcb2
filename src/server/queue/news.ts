import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { FINISHED } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import type { AcceptedJob } from './port.ts';

// Changes to the jobs of all owners: one read each, however many jobs are followed.

const NEWEST = prepare((db) => db.selectFrom('jobs').select('id').orderBy('id', 'desc').limit(1));

const ACCEPTED_AFTER = prepare((db, { id, size }: { id: number; size: number }) =>
  db.selectFrom('jobs').select(['id', 'owner']).where('id', '>', id).orderBy('id').limit(size),
);

/** Number of the newest job; 0 if there is none. */
export async function findNewestId(db: Db): Promise<number> {
  return (await NEWEST.first(db, {}))?.id ?? 0;
}

export async function listAcceptedAfter(db: Db, id: number, size: number): Promise<AcceptedJob[]> {
  return await ACCEPTED_AFTER.all(db, { id, size });
}

export async function findEnded(db: Db, uuids: readonly string[]): Promise<Pick<JobRow, 'uuid' | 'owner'>[]> {
  return await db
    .selectFrom('jobs')
    .select(['uuid', 'owner'])
    .where('uuid', 'in', uuids)
    .where(FINISHED)
    .execute();
}
