import { prepare } from '../store/prepared.ts';
import type { Db } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import { PENDING } from './conditions.ts';
import type { JobState } from './port.ts';

const STATE = ['id', 'uuid', 'status', 'created_at', 'skin_uuid'] as const satisfies (keyof JobState)[];

const NEWEST_STATES = prepare((db, { owner, size }: { owner: string; size: number }) =>
  db.selectFrom('jobs').select(STATE).where('owner', '=', owner).orderBy('id', 'desc').limit(size),
);
const PENDING_STATES = prepare((db, { owner }: { owner: string }) =>
  db.selectFrom('jobs').select(STATE).where('owner', '=', owner).where(PENDING),
);

export async function listJobs(db: Db, owner: string, size: number): Promise<JobRow[]> {
  const own = db.selectFrom('jobs').selectAll().where('owner', '=', owner);
  const newest = await own.orderBy('id', 'desc').limit(size).execute();
  return await withOlder(newest, size, () => own.where(PENDING).execute());
}

export async function listJobStates(db: Db, owner: string, size: number): Promise<JobState[]> {
  const newest = await NEWEST_STATES.all(db, { owner, size });
  return await withOlder(newest, size, () => PENDING_STATES.all(db, { owner }));
}

/** Their order and bound are not the database's work: with them it would walk all of the owner's jobs. */
async function withOlder<Job extends { readonly id: number }>(
  newest: Job[],
  size: number,
  readPending: () => Promise<Job[]>,
): Promise<Job[]> {
  const oldest = newest.at(-1);
  if (!oldest || newest.length < size) return newest;
  const pending = (await readPending()).toSorted((a, b) => b.id - a.id);
  return [...newest, ...pending.filter(({ id }) => id < oldest.id)];
}
