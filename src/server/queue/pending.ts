import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { PROCESSING, WAITING } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/tables.ts';

/** Maximum waiting jobs read for a forecast. */
const MOST_FORESEEN = 500;

const RUNNING = [
  'uuid',
  'owner',
  'identity',
  'lease_owner',
  'started_at',
] as const satisfies (keyof JobRow)[];
const WAITS = [
  'uuid',
  'owner',
  'identity',
  'concurrency',
  'burst',
  'run_at',
] as const satisfies (keyof JobRow)[];

/** The jobs in progress and waiting, with the fields that a forecast needs. */
export interface PendingJobs {
  readonly running: Pick<JobRow, (typeof RUNNING)[number]>[];
  /** The first waiting jobs, in turn order. */
  readonly waiting: Pick<JobRow, (typeof WAITS)[number]>[];
}

const READ_RUNNING = prepare((db) => db.selectFrom('jobs').select(RUNNING).where(PROCESSING));
const READ_WAITING = prepare((db, { most }: { most: number }) =>
  db.selectFrom('jobs').select(WAITS).where(WAITING).orderBy('turn').orderBy('id').limit(most),
);

export async function readPending(db: Db): Promise<PendingJobs> {
  const running = await READ_RUNNING.all(db, {});
  return { running, waiting: await READ_WAITING.all(db, { most: MOST_FORESEEN }) };
}
