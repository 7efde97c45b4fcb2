import { keepCallback } from '../store/callbacks.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { INSERT, type NewRow, newRow } from './enqueue.ts';
import { findRepeated } from './idempotency.ts';
import type { NewJob, Recorded } from './port.ts';

/** The fields of a job that is created as completed, instead of a place in the queue. */
const NO_PLACE = { turn: 0, concurrency: 1, burst: 1 } as const;

/** Records a job whose result is available at once. */
export async function recordKnown(
  db: Db,
  job: NewJob,
  { skinUuid, now }: { skinUuid: string; now: number },
): Promise<Recorded> {
  const row = knownRow(job, { skinUuid, now });
  if (!job.callback && job.idempotencyKey === undefined) return await recordOnce(db, job, row); // a single statement
  return await inTransaction(db, async (tx) => {
    const recorded = await recordOnce(tx, job, row);
    if (job.callback && recorded.kind === 'recorded') await keepCallback(tx, job.callback, recorded.job, now);
    return recorded;
  });
}

/** The row of a job whose skin is there already. */
export function knownRow(job: NewJob, { skinUuid, now }: { skinUuid: string; now: number }): NewRow {
  return { ...newRow(job, now), ...NO_PLACE, status: 'completed', skin_uuid: skinUuid, finished_at: now };
}

/** Inserts the row, unless the key of its request was used before. */
async function recordOnce(tx: Db, job: NewJob, row: NewRow): Promise<Recorded> {
  const insert = job.idempotencyKey === undefined ? INSERT : INSERT_UNLESS_KEYED;
  const inserted = await insert.first(tx, row);
  if (inserted) return { kind: 'recorded', job: { ...row, ...inserted } };
  return (await findRepeated(tx, job)) ?? (await recordOnce(tx, job, row)); // its job was just forgotten
}

const INSERT_UNLESS_KEYED = prepare((db, row: NewRow) =>
  db
    .insertInto('jobs')
    .columns(Object.keys(row) as (keyof NewRow)[])
    .expression(
      db
        .selectNoFrom((values) => Object.entries(row).map(([name, value]) => values.val(value).as(name)))
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('idempotency_keys')
                .select('job_id')
                .where('owner', '=', row.owner)
                .where('key', '=', row.idempotency_key ?? ''),
            ),
          ),
        ),
    )
    .returning('id'),
);
