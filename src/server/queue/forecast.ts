import type { Db } from '../store/db.ts';
import { type JobRow, PROCESSING, WAITING } from '../store/schema/tables.ts';

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
  const waiting = db
    .selectFrom('jobs')
    .select(FORESEEN)
    .where(WAITING)
    .orderBy('turn')
    .orderBy('id')
    .limit(MAX_FORESEEN);
  const jobs = await db
    .selectFrom('jobs')
    .select(FORESEEN)
    .where(PROCESSING)
    .unionAll((eb) => eb.selectFrom(waiting.as('first')).select(FORESEEN))
    .execute();
  return {
    running: jobs.filter(({ status }) => status === 'processing'),
    waiting: jobs.filter(({ status }) => status === 'waiting'),
  };
}

/** How many waiting jobs come before this one. */
export async function countWaitingBefore(db: Db, { turn, id }: Pick<JobRow, 'turn' | 'id'>): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(WAITING)
    .where((eb) => eb(eb.refTuple('turn', 'id'), '<', eb.tuple(turn, id)))
    .executeTakeFirstOrThrow();
  return count;
}

export interface PendingCounts {
  readonly waiting: number;
  readonly processing: number;
}

/** The number of unfinished jobs of all owners. Two statements, because each has its own index. */
export async function countPending(db: Db): Promise<PendingCounts> {
  const jobs = db.selectFrom('jobs').select((eb) => eb.fn.countAll<number>().as('n'));
  const waiting = await jobs.where(WAITING).executeTakeFirstOrThrow();
  const processing = await jobs.where(PROCESSING).executeTakeFirstOrThrow();
  return { waiting: Number(waiting.n), processing: Number(processing.n) };
}
