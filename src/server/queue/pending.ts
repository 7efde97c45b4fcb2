import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { PROCESSING, WAITING } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/job-tables.ts';

/** Maximum waiting jobs read for a forecast. */
const MOST_FORESEEN = 500;

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

const READ = prepare((db, { most }: { most: number }) =>
  db
    .selectFrom('jobs')
    .select(FORESEEN)
    .where(PROCESSING)
    .unionAll((eb) =>
      eb
        .selectFrom(
          eb
            .selectFrom('jobs')
            .select(FORESEEN)
            .where(WAITING)
            .orderBy('turn')
            .orderBy('id')
            .limit(most)
            .as('first'),
        )
        .select(FORESEEN),
    ),
);

export async function readPending(db: Db): Promise<PendingJobs> {
  const jobs = await READ.all(db, { most: MOST_FORESEEN });
  return {
    running: jobs.filter(({ status }) => status === 'processing'),
    waiting: jobs.filter(({ status }) => status === 'waiting'),
  };
}
