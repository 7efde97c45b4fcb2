import { sql } from 'kysely';
import { type Db, inTransaction } from './db.ts';
import { PENDING } from './schema/tables.ts';

/*
 * SQLite has one writer at a time, so a transaction is alone. In PostgreSQL, transactions run concurrently, and what
 * one has read may have changed before it writes. So each locks the rows of its decision before it reads them, always
 * in this order, so that no two wait for each other: management, the owner, the owner of a shared limit, the queue.
 */

/** Arbitrary numbers that no other program on the same database is likely to lock. */
const MANAGEMENT = 7_546_020;
const SCHEMA = 7_546_021;

/**
 * Makes other transactions wait that change users, keys, sessions, capes, accounts, or the visibility of skins. They
 * are rare enough to run one after the other.
 */
export async function lockManagement(tx: Db): Promise<void> {
  await tx.store.lock(() => sql`select pg_advisory_xact_lock(${sql.lit(MANAGEMENT)})`.execute(tx));
}

/** Runs `work` as `inTransaction` does, alone among such transactions. */
export async function inManagement<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    return await work(tx);
  });
}

/**
 * Makes others that change tables wait until this transaction ends. Does not lock a row, because a transaction that
 * uses a table for which this one waits would wait for that row.
 */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.store.lock(() => sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA)})`.execute(tx));
}

const NEVER = { turn: 0, spent_at: 0, generated_at: 0, minute: '[]', hour: '[]' } as const;

/** Makes other transactions wait that decide on this owner's jobs, skins or limits. */
export async function lockOwner(tx: Db, owner: string): Promise<void> {
  await tx.store.lock(() =>
    tx
      .insertInto('callers')
      .values({ owner, ...NEVER })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ owner }))
      .execute(),
  );
}

export async function lockOwnerOfJob(tx: Db, jobUuid: string): Promise<void> {
  await tx.store.lock(() =>
    tx
      .selectFrom('callers')
      .select('owner')
      .where('owner', '=', sql<string>`(select owner from jobs where uuid = ${jobUuid})`)
      .forUpdate()
      .execute(),
  );
}

/** Makes other transactions wait that decide on the jobs of all owners. */
export async function lockQueue(tx: Db): Promise<void> {
  await tx.store.lock(() => tx.selectFrom('queue_clock').select('id').forUpdate().execute());
}

/**
 * Like `lockOwner`, for an owner who is about to get another job, with the maximum of its jobs to process at once. A
 * higher limit of earlier jobs stays valid until they have ended.
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
