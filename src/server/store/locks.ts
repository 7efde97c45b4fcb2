import { sql } from 'kysely';
import type { Db } from './db.ts';
import { isPostgres } from './dialect.ts';
import { prepare, prepareSql } from './prepared.ts';
import { PENDING } from './schema/job-conditions.ts';

/*
 * SQLite has one writer at a time: a transaction is alone. In PostgreSQL transactions run side by side, and what is read
 * may have changed before something is written. So each locks the rows that its decision is about, before it reads them.
 * Always in this order, so that no two wait for each other: management, the owner, whoever shares a limit with it, the
 * queue.
 */

/** Any number that no other program on the same database is likely to lock. */
const MANAGEMENT = 7_546_020;

/**
 * Keeps other transactions that change users, keys, sessions, capes, accounts, or who sees which skin, waiting until this
 * one ends. They are rare enough to come one after the other.
 */
export async function lockManagement(tx: Db): Promise<void> {
  if (isPostgres(tx)) await LOCK_MANAGEMENT.run(tx, {});
}

const LOCK_MANAGEMENT = prepareSql(() => sql`select pg_advisory_xact_lock(${sql.lit(MANAGEMENT)})`);

/** Any other such number. */
const SCHEMA = 7_546_021;

/**
 * Keeps others that change tables waiting until this transaction ends. Not by a row: whoever is at work with a table that
 * this one waits for would wait for that row.
 */
export async function lockSchema(tx: Db): Promise<void> {
  if (isPostgres(tx)) await LOCK_SCHEMA.run(tx, {});
}

const LOCK_SCHEMA = prepareSql(() => sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA)})`);

const NEVER = { turn: 0, spent_at: 0, generated_at: 0, minute: '[]', hour: '[]' } as const;

/** Keeps other transactions that decide about this owner's jobs, skins or limits waiting until this one ends. */
export async function lockOwner(tx: Db, owner: string): Promise<void> {
  if (isPostgres(tx)) await LOCK_OWNER.run(tx, { owner });
}

export const LOCK_OWNER = prepare((db, { owner }: { owner: string }) =>
  db
    .insertInto('callers')
    .values({ owner, ...NEVER })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ owner })),
);

/** The same for an owner who has had jobs, on PostgreSQL. */
export const LOCK_KNOWN = prepare((db, { owner }: { owner: string }) =>
  db.selectFrom('callers').select('owner').where('owner', '=', owner).forUpdate(),
);

/**
 * The same for those of several owners that nobody else has locked, and returns them. It waits for nobody: those who need
 * the others would have to wait as well, perhaps in a circle.
 */
export async function lockFreeOwners(tx: Db, owners: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await LOCK_FREE.all(tx, { owners });
  return new Set(rows.map(({ owner }) => owner));
}

const LOCK_FREE = prepareSql(
  ({ owners }: { owners: readonly string[] }) => sql<{ owner: string }>`
    select owner from callers where owner = any(${owners}::text[]) order by owner for update skip locked`,
);

/**
 * The same for an owner who is about to have another job, with the most of its jobs that may be processed at once, on
 * PostgreSQL. The bound of jobs that were accepted under a higher one holds until they have ended.
 */
export const LOCK_SUBMITTER = prepareSql(
  ({ owner, most }: { owner: string; most: number }) => sql`
    insert into callers (owner, turn, spent_at, generated_at, minute, hour, burst)
    values (${owner}, 0, 0, 0, '[]', '[]', ${most})
    on conflict (owner) do update set burst = greatest(excluded.burst, callers.processing,
      case when exists (select 1 from jobs where jobs.owner = excluded.owner and ${PENDING})
        then callers.burst else 0 end)`,
);

/** Locks the owner of a job. */
export async function lockOwnerOfJob(tx: Db, jobUuid: string): Promise<void> {
  if (isPostgres(tx)) await LOCK_OWNER_OF_JOB.run(tx, { jobUuid });
}

const LOCK_OWNER_OF_JOB = prepare((db, { jobUuid }: { jobUuid: string }) =>
  db
    .selectFrom('callers')
    .select('owner')
    .where('owner', '=', (eb) => eb.selectFrom('jobs').select('jobs.owner').where('jobs.uuid', '=', jobUuid))
    .forUpdate(),
);

/** Keeps other transactions that decide about the jobs of all owners waiting until this one ends. */
export async function lockQueue(tx: Db): Promise<void> {
  if (isPostgres(tx)) await LOCK_QUEUE.run(tx, {});
}

const LOCK_QUEUE = prepare((db) => db.selectFrom('queue_clock').select('id').forUpdate());
