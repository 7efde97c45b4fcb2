import { keepCallback } from '../store/callbacks.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { GroupedStatement } from '../store/grouped-statement.ts';
import { prepare } from '../store/prepared.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import { INSERT, type NewRow, newRow } from './enqueue.ts';
import { findRepeated } from './idempotency.ts';
import type { NewJob, Recorded } from './port.ts';

/** The fields of a job that is created as completed, instead of a place in the queue. */
const NO_PLACE = { turn: 0, concurrency: 1, burst: 1 } as const;

/** Statements that insert a job; undefined if it is not to be. */
type Insert = (row: NewRow) => Promise<Pick<JobRow, 'id'> | undefined>;

interface Inserts {
  readonly any: Insert;
  /** Unless the key of its request was used before. */
  readonly unlessKeyed: Insert;
}

/** Records jobs whose results are available at once. */
export class KnownJobs {
  readonly #db: Db;
  readonly #inserts: Inserts;

  constructor(db: Db) {
    this.#db = db;
    const any = new GroupedStatement(db, INSERT);
    const unlessKeyed = new GroupedStatement(db, INSERT_UNLESS_KEYED);
    this.#inserts = {
      any: async (row) => await any.first(row),
      unlessKeyed: async (row) => await unlessKeyed.first(row),
    };
  }

  async record(job: NewJob, { skinUuid, now }: { skinUuid: string; now: number }): Promise<Recorded> {
    const row = knownRow(job, { skinUuid, now });
    const { callback } = job;
    // A transaction around a single row would cost more than the row. On PostgreSQL it is tried again if a request with
    // the same key has come first.
    const isRace = isPostgres(this.#db) && job.idempotencyKey !== undefined;
    if (!callback && !isRace) return await recordOnce(this.#db, job, { row, inserts: this.#inserts });
    return await inTransaction(this.#db, async (tx) => {
      const recorded = await recordOnce(tx, job, { row, inserts: insertsIn(tx) });
      if (callback && recorded.kind === 'recorded') await keepCallback(tx, callback, recorded.job, now);
      return recorded;
    });
  }
}

/** The row of a job whose skin is there already. */
export function knownRow(job: NewJob, { skinUuid, now }: { skinUuid: string; now: number }): NewRow {
  return { ...newRow(job, now), ...NO_PLACE, status: 'completed', skin_uuid: skinUuid, finished_at: now };
}

function insertsIn(tx: Db): Inserts {
  return {
    any: async (row) => await INSERT.first(tx, row),
    unlessKeyed: async (row) => await INSERT_UNLESS_KEYED.first(tx, row),
  };
}

/** Inserts the row, unless the key of its request was used before: also by another request at the same time. */
async function recordOnce(
  db: Db,
  job: NewJob,
  { row, inserts }: { row: NewRow; inserts: Inserts },
): Promise<Recorded> {
  const insert = job.idempotencyKey === undefined ? inserts.any : inserts.unlessKeyed;
  const inserted = await insert(row);
  if (inserted) return { kind: 'recorded', job: { ...row, ...inserted } };
  const repeated = await findRepeated(db, job);
  return repeated ?? (await recordOnce(db, job, { row, inserts })); // its job was just forgotten
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
