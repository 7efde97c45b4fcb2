import { type RawBuilder, sql } from 'kysely';
import { countForList, countRows, type Db } from '../store/db.ts';
import { PreparedQuery } from '../store/prepared-query.ts';
import {
  COMPLETED,
  FAILED,
  FINISHED,
  type JobRow,
  PENDING,
  PROCESSING,
  WAITING,
} from '../store/schema/tables.ts';
import { DATA, joinedTags, RECORD, type SkinWithData } from '../store/skins.ts';

const STATE = ['id', 'uuid', 'status', 'created_at', 'skin_uuid'] as const satisfies (keyof JobRow)[];
const LISTED = [...STATE, 'name', 'source', 'finished_at', 'error_code', 'error_message'] as const;

/** The state of a job. */
export type JobSummaryRow = Pick<JobRow, (typeof STATE)[number]>;

export type ListedJob = Pick<JobRow, (typeof LISTED)[number]>;

/** A job; `skin` is set once the job is completed. */
export interface JobWithSkin {
  readonly job: JobRow;
  readonly skin: SkinWithData | undefined;
}

export type AcceptedJob = Pick<JobRow, 'id' | 'owner'>;

/** Selects jobs of an owner. */
export interface JobSelection {
  readonly size: number;
  /** Number of the last job on the previous page. */
  readonly before?: number | undefined;
  readonly status?: JobRow['status'] | undefined;
}

// Literals, because SQLite does not use the partial indices for parameters.
const WITH_STATUS = {
  waiting: WAITING,
  processing: PROCESSING,
  completed: COMPLETED,
  failed: FAILED,
} as const satisfies Record<JobRow['status'], RawBuilder<boolean>>;

export async function findJob(db: Db, uuid: string): Promise<JobRow | undefined> {
  return await db.selectFrom('jobs').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

/** An owner's pending jobs and the `size` newest others, newest first. */
export async function listJobs(db: Db, owner: string, size: number): Promise<JobRow[]> {
  const own = db.selectFrom('jobs').selectAll().where('owner', '=', owner);
  const newest = await own.orderBy('id', 'desc').limit(sql.lit(size)).execute();
  return await withOlder(newest, size, () => own.where(PENDING).execute());
}

/** The same jobs with their states only, because many are read together. */
export async function listJobStates(db: Db, owner: string, size: number): Promise<JobSummaryRow[]> {
  const newest = await JOB_STATES.all(db, { owner }, String(size));
  return await withOlder(newest, size, () => ownStates(db, owner).where(PENDING).execute());
}

function ownStates(db: Db, owner: string) {
  return db.selectFrom('jobs').select(STATE).where('owner', '=', owner);
}

const JOB_STATES = new PreparedQuery((db, { owner }: Pick<JobRow, 'owner'>, size) =>
  ownStates(db, owner)
    .orderBy('id', 'desc')
    .limit(sql.lit(Number(size))),
);

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
  { size, before, status }: JobSelection,
): Promise<ListedJob[]> {
  let page = db
    .selectFrom('jobs')
    .select(LISTED)
    .where('owner', '=', owner)
    .orderBy('id', 'desc')
    .limit(size);
  if (before !== undefined) page = page.where('id', '<', before);
  if (status !== undefined) page = page.where(WITH_STATUS[status]);
  return await page.execute();
}

/** Number of an owner's jobs, or of those that failed; undefined: too many to count on each request. */
export async function countJobs(db: Db, owner: string, status?: 'failed'): Promise<number | undefined> {
  const own = db.selectFrom('jobs').select('id').where('owner', '=', owner);
  return await countForList(db, status === undefined ? own : own.where(WITH_STATUS[status]));
}

/** The first `size` of an owner's jobs with a number above `id`, in the order of acceptance. */
export async function listJobsAfter(db: Db, owner: string, id: number, size: number): Promise<JobRow[]> {
  return await db
    .selectFrom('jobs')
    .selectAll()
    .where('owner', '=', owner)
    .where('id', '>', id)
    .orderBy('id')
    .limit(size)
    .execute();
}

/** Prefix of a skin's columns, because jobs have some of the same names. */
const OF_SKIN = 'its_';

/** Jobs, each with its skin if there is one. */
function jobsWithSkins(db: Db) {
  return db
    .selectFrom('jobs')
    .leftJoin('skins', 'skins.uuid', 'jobs.skin_uuid')
    .leftJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .selectAll('jobs')
    .select([...RECORD, ...DATA].map(withPrefix))
    .select((eb) => joinedTags(eb).as(`${OF_SKIN}tags`));
}

/** `skins.id as its_id` of `skins.id`. */
function withPrefix(column: string) {
  const [source = '', name = source.slice(source.indexOf('.') + 1)] = column.split(' as ');
  return sql.ref(source).as(`${OF_SKIN}${name}`);
}

export async function findJobWithSkin(db: Db, uuid: string): Promise<JobWithSkin | undefined> {
  const row = await JOB_WITH_SKIN.first(db, { uuid });
  return row && split(row);
}

const JOB_WITH_SKIN = new PreparedQuery((db, { uuid }: Pick<JobRow, 'uuid'>) =>
  jobsWithSkins(db).where('jobs.uuid', '=', uuid),
);

/** The finished ones of these jobs, in the order of their ends. */
export async function readEnds(db: Db, uuids: readonly string[]): Promise<JobWithSkin[]> {
  const rows = await jobsWithSkins(db).where('jobs.uuid', 'in', uuids).where(FINISHED).execute();
  return rows
    .map(split)
    .toSorted((a, b) => (a.job.finished_at ?? 0) - (b.job.finished_at ?? 0) || a.job.id - b.job.id);
}

function split(row: Readonly<Record<string, unknown>>): JobWithSkin {
  const job: Record<string, unknown> = {};
  const skin: Record<string, unknown> = {};
  for (const name in row) {
    const value = row[name];
    if (name.startsWith(OF_SKIN)) skin[name.slice(OF_SKIN.length)] = value;
    else job[name] = value;
  }
  const isThere = skin['id'] !== null;
  return withItsSkin(job as unknown as JobRow, isThere ? (skin as unknown as SkinWithData) : undefined);
}

/** Callers without a key get records of each other, which an operator can hide. */
export function withItsSkin(job: JobRow, skin: SkinWithData | undefined): JobWithSkin {
  const isShown = skin?.visibility !== 'private' || skin.owner === job.owner;
  return { job, skin: isShown ? skin : undefined };
}

// Changes to the jobs of all owners, with one read however many jobs are followed.

/** Number of the newest job of all owners; 0 if there is none. */
export async function findNewestId(db: Db): Promise<number> {
  const newest = db.selectFrom('jobs').select('id').orderBy('id', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.id ?? 0;
}

/** The first `size` jobs of all owners with a number above `id`, in the order of acceptance. */
export async function listAcceptedAfter(db: Db, id: number, size: number): Promise<AcceptedJob[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', 'owner'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(size)
    .execute();
}

/** The finished ones of these jobs. */
export async function findEnded(db: Db, uuids: readonly string[]): Promise<Pick<JobRow, 'uuid' | 'owner'>[]> {
  return await db
    .selectFrom('jobs')
    .select(['uuid', 'owner'])
    .where('uuid', 'in', uuids)
    .where(FINISHED)
    .execute();
}

/** The reads that feeds repeat (service/jobs/job-feeds.ts). */
export function jobReads(db: Db) {
  return {
    list: async (owner: string, size: number) => await listJobs(db, owner, size),
    listAfter: async (owner: string, id: number, size: number) => await listJobsAfter(db, owner, id, size),
    readEnds: async (uuids: readonly string[]) => await readEnds(db, uuids),
    newestId: async () => await findNewestId(db),
    acceptedAfter: async (id: number, size: number) => await listAcceptedAfter(db, id, size),
    findEnded: async (uuids: readonly string[]) => await findEnded(db, uuids),
  };
}

export type JobReads = ReturnType<typeof jobReads>;

/** Maximum waiting jobs read for a forecast. */
const MAX_FORESEEN = 500;

const FORESEEN = [
  'uuid',
  'owner',
  'identity',
  'status',
  'lease_owner',
  'started_at',
  'concurrency',
  'burst',
  'run_at',
] as const satisfies (keyof JobRow)[];

type ForeseenJob = Pick<JobRow, (typeof FORESEEN)[number]>;

/** The jobs in progress and waiting, with the fields that a forecast needs. */
export interface PendingJobs {
  readonly running: readonly ForeseenJob[];
  /** The first waiting jobs, in turn order. */
  readonly waiting: readonly ForeseenJob[];
}

export async function readPending(db: Db): Promise<PendingJobs> {
  const jobs = await PENDING_JOBS.all(db, {});
  return {
    running: jobs.filter(({ status }) => status === 'processing'),
    waiting: jobs.filter(({ status }) => status === 'waiting'),
  };
}

const PENDING_JOBS = new PreparedQuery((db) => {
  const waiting = db
    .selectFrom('jobs')
    .select(FORESEEN)
    .where(WAITING)
    .orderBy('turn')
    .orderBy('id')
    .limit(MAX_FORESEEN);
  return db
    .selectFrom('jobs')
    .select(FORESEEN)
    .where(PROCESSING)
    .unionAll((eb) => eb.selectFrom(waiting.as('first')).select(FORESEEN));
});

/** How many waiting jobs come before this one. */
export async function countWaitingBefore(db: Db, { turn, id }: Pick<JobRow, 'turn' | 'id'>): Promise<number> {
  return await countRows(
    db
      .selectFrom('jobs')
      .where(WAITING)
      .where((eb) => eb(eb.refTuple('turn', 'id'), '<', eb.tuple(turn, id))),
  );
}

export interface PendingCounts {
  readonly waiting: number;
  readonly processing: number;
}

/** The number of unfinished jobs of all owners. Two statements, because each has its own index. */
export async function countPending(db: Db): Promise<PendingCounts> {
  const jobs = db.selectFrom('jobs');
  return {
    waiting: await countRows(jobs.where(WAITING)),
    processing: await countRows(jobs.where(PROCESSING)),
  };
}
