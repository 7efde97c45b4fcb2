import { sql } from 'kysely';
import type { Db } from './db.ts';
import { PENDING } from './schema/tables.ts';

/*
 * SQLite has one writer at a time: a transaction is alone. In PostgreSQL transactions run side by side, and what is read
 * may have changed before something is written. So each locks the rows that its decision is about, before it reads them.
 * Always in this order, so that no two wait for each other: management, the owner, whoever shares a limit with it, the
 * queue.
 */

/** Any numbers that no other program on the same database is likely to lock. */
const MANAGEMENT = 7_546_020;
const SCHEMA = 7_546_021;

/**
 * Keeps other transactions that change users, keys, sessions, capes, accounts, or who sees which skin, waiting until this
 * one ends. They are rare enough to come one after the other.
 */
export async function lockManagement(tx: Db): Promise<void> {
  await tx.store.lock(() => sql`select pg_advisory_xact_lock(${sql.lit(MANAGEMENT)})`.execute(tx));
}

/**
 * Keeps others that change tables waiting until this transaction ends. Not by a row: a transaction at work with a table
 * that this one waits for would wait for that row.
 */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.store.lock(() => sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA)})`.execute(tx));
}

const NEVER = { turn: 0, spent_at: 0, generated_at: 0, minute: '[]', hour: '[]' } as const;

/** Keeps other transactions that decide about this owner's jobs, skins or limits waiting until this one ends. */
export async function lockOwner(tx: Db, owner: string): Promise<void> {
  await tx.store.lock(() =>
    tx
      .insertInto('callers')
      .values({ owner, ...NEVER })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ owner }))
      .execute(),
  );
}

/** Locks the owner of a job. */
export async function lockOwnerOfJob(tx: Db, jobUuid: string): Promise<void> {
  await tx.store.lock(() =>
    tx
      .selectFrom('callers')
      .select('owner')
      .where('owner', '=', (eb) =>
        eb.selectFrom('jobs').select('jobs.owner').where('jobs.uuid', '=', jobUuid),
      )
      .forUpdate()
      .execute(),
  );
}

/** Keeps other transactions that decide about the jobs of all owners waiting until this one ends. */
export async function lockQueue(tx: Db): Promise<void> {
  await tx.store.lock(() => tx.selectFrom('queue_clock').select('id').forUpdate().execute());
}

/**
 * Like `lockOwner`, for an owner who is about to have another job, with the most of its jobs that may be processed at
 * once. The bound of jobs that were accepted under a higher one holds until they have ended.
 */
export async function lockSubmitter(tx: Db, owner: string, most: number): Promise<void> {
  await tx.store.lock(() =>
    sql`
      insert into callers (owner, turn, spent_at, generated_at, minute, hour, burst)
      values (${owner}, 0, 0, 0, '[]', '[]', ${most})
      on conflict (owner) do update set burst = greatest(excluded.burst, callers.processing,
        case when exists (select 1 from jobs where jobs.owner = excluded.owner and ${PENDING})
          then callers.burst else 0 end)`.execute(tx),
  );
}
