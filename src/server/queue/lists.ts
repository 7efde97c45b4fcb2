import type { RawBuilder } from 'kysely';
import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { COMPLETED, FAILED, PENDING, PROCESSING, WAITING } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import type { JobPage, JobState, ListedJob } from './port.ts';

const STATE = ['id', 'uuid', 'status', 'created_at', 'skin_uuid'] as const satisfies (keyof JobState)[];

const LISTED = [...STATE, 'name', 'source', 'finished_at', 'error_code', 'error_message'] as const;

// Literals, because SQLite does not use the partial indices for parameters.
const STANDING = {
  waiting: WAITING,
  processing: PROCESSING,
  completed: COMPLETED,
  failed: FAILED,
} as const satisfies Record<JobRow['status'], RawBuilder<boolean>>;

interface PageValues {
  readonly owner: string;
  readonly size: number;
  readonly before?: number;
}

function pageOf(standing?: RawBuilder<boolean>) {
  return prepare((db, { owner, size, before }: PageValues) => {
    const own = db.selectFrom('jobs').select(LISTED).where('owner', '=', owner);
    const older = before === undefined ? own : own.where('id', '<', before);
    const wanted = standing ? older.where(standing) : older;
    return wanted.orderBy('id', 'desc').limit(size);
  });
}

const NEWEST = pageOf();
const BY_STATUS = {
  waiting: pageOf(STANDING.waiting),
  processing: pageOf(STANDING.processing),
  completed: pageOf(STANDING.completed),
  failed: pageOf(STANDING.failed),
} as const;
const NEWEST_STATES = prepare((db, { owner, size }: Pick<PageValues, 'owner' | 'size'>) =>
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

/** Sorted and limited in code: the database would walk all of the owner's jobs for it. */
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

/** A page of an owner's jobs, newest first. */
export async function pageJobs(
  db: Db,
  owner: string,
  { size, before, status }: JobPage,
): Promise<ListedJob[]> {
  const page = status === undefined ? NEWEST : BY_STATUS[status];
  return await page.all(db, { owner, size, ...(before !== undefined && { before }) });
}

/** Maximum number of jobs to count for a list. */
const MOST_COUNTED = 10_000;

/** Number of an owner's jobs, or of those that failed; undefined: too many to count on each request. */
export async function countJobs(db: Db, owner: string, status?: 'failed'): Promise<number | undefined> {
  const own = db
    .selectFrom('jobs')
    .select('id')
    .where('owner', '=', owner)
    .limit(MOST_COUNTED + 1);
  const some = status === undefined ? own : own.where(STANDING[status]);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > MOST_COUNTED ? undefined : Number(count);
}
