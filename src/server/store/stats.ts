import { type RawBuilder, sql } from 'kysely';
import { countRows, type Db } from './db.ts';
import { FINISHED, type JobRow } from './schema/tables.ts';

/** From one moment up to, but not including, another, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Skins made in a span: with new data, or with data that already existed. */
export interface MadeSkins {
  readonly new: number;
  readonly duplicate: number;
}

/** Counts skins of every visibility. Both counts come from an index. */
export async function countMade(db: Db, span: Span): Promise<MadeSkins> {
  const fresh = await countIn(db, 'texture_data', span);
  const records = await countIn(db, 'skins', span);
  return { new: fresh, duplicate: Math.max(0, records - fresh) };
}

async function countIn(db: Db, table: 'skins' | 'texture_data', { from, to }: Span): Promise<number> {
  return await countRows(db.selectFrom(table).where('created_at', '>=', from).where('created_at', '<', to));
}

/** When the oldest data was made; undefined: there is none. */
export async function firstMade(db: Db): Promise<number | undefined> {
  const { first } = await db
    .selectFrom('texture_data')
    .select((eb) => eb.fn.min<number | null>('created_at').as('first'))
    .executeTakeFirstOrThrow();
  return first ?? undefined;
}

/** Maximum number of jobs to count, the last ones of a span. */
const MAX_JOBS = 10_000;

export interface EndedJobs {
  readonly completed: number;
  readonly failed: number;
  /** Average wait of the completed jobs, in milliseconds; undefined if there are none. */
  readonly wait: number | undefined;
}

/** The results of the jobs that have ended since a moment. */
export async function countEnded(db: Db, since: number): Promise<EndedJobs> {
  const row = await db
    .selectFrom(ended(db, since).select(['status', 'created_at', 'started_at']).as('some'))
    .select((eb) => [
      countWhere(sql`status = 'completed'`).as('completed'),
      countWhere(sql`status = 'failed'`).as('failed'),
      eb.fn
        .avg<number | null>(sql`case when status = 'completed' then started_at - created_at end`)
        .as('wait'),
    ])
    .executeTakeFirstOrThrow();
  const { completed, failed, wait } = row;
  return {
    completed: Number(completed),
    failed: Number(failed),
    wait: wait === null ? undefined : Number(wait),
  };
}

/** Number of failed jobs since a moment, by error code. */
export async function countFailures(db: Db, since: number): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom(ended(db, since).select('error_code').as('some'))
    .select((eb) => ['error_code', eb.fn.countAll<number>().as('count')])
    .where('error_code', 'is not', null)
    .groupBy('error_code')
    .execute();
  return Object.fromEntries(rows.map(({ error_code, count }) => [error_code, Number(count)]));
}

/** The number of jobs that failed in a span, of the last ones that ended in it. */
export async function countFailed(db: Db, { from, to }: Span): Promise<number> {
  const { count } = await db
    .selectFrom(ended(db, from).where('finished_at', '<', to).select('status').as('some'))
    .select(countWhere(sql`status = 'failed'`).as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A job that failed. */
export type FailedJob = Pick<JobRow, 'uuid' | 'owner' | 'error_code' | 'error_message'> & {
  readonly finished_at: number;
};

/** The newest failed jobs among the last ones that have ended since a moment. */
export async function newestFailures(db: Db, since: number, size: number): Promise<FailedJob[]> {
  const columns = ['uuid', 'owner', 'status', 'error_code', 'error_message', 'finished_at'] as const;
  return await db
    .selectFrom(ended(db, since).select(columns).as('some'))
    .select(['uuid', 'owner', 'error_code', 'error_message'])
    .select(sql<number>`finished_at`.as('finished_at'))
    .where('status', '=', 'failed')
    .orderBy('finished_at', 'desc')
    .limit(size)
    .execute();
}

function ended(db: Db, since: number) {
  return db
    .selectFrom('jobs')
    .where(FINISHED)
    .where('finished_at', '>=', since)
    .orderBy('finished_at', 'desc')
    .limit(MAX_JOBS);
}

function countWhere(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`count(case when ${condition} then 1 end)`;
}

/** Number of linked game accounts, and of those that work. */
export async function countAccounts(db: Db): Promise<{ total: number; usable: number }> {
  const row = await db
    .selectFrom('game_accounts')
    .select((eb) => [eb.fn.countAll<number>().as('total'), countWhere(sql`state = 'active'`).as('usable')])
    .executeTakeFirstOrThrow();
  return { total: Number(row.total), usable: Number(row.usable) };
}
