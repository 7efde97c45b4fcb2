import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { Db } from './db.ts';
import { OLDEST_READER } from './process-memory.ts';
import type { NodeRow } from './schema/tables.ts';

/** Milliseconds since the epoch by PostgreSQL's clock when the statement runs, not when its transaction began. */
export const DATABASE_NOW: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function readDatabaseClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${DATABASE_NOW} as now`.execute(db);
  return rows[0]?.now ?? 0;
}

/** Difference between a machine's clock and the database's, in milliseconds, from which it is reported. */
export const MAX_SKEW = 2_000;

/** Measurements at the start, of which the fastest is the most exact. */
const FIRST_MEASUREMENTS = 3;

/**
 * The database's time on another machine, exact to half a round trip, for comparison with times that other nodes
 * wrote. This machine's own clock may be wrong by hours or change without any effect. Where milliseconds matter, above
 * all for the ends of leases, statements use the database's clock itself (`DATABASE_NOW`).
 */
export class DatabaseClock implements Clock {
  readonly #local: Clock;
  /** Milliseconds from the monotonic clock of this process to the time of the database. */
  #ahead = 0;
  /** Duration of the round trip that measured `#ahead`, in milliseconds. */
  #trip = Number.POSITIVE_INFINITY;

  constructor(local: Clock) {
    this.#local = local;
  }

  now(): number {
    return Math.round(this.#local.monotonic() + this.#ahead);
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#local.sleep(ms, signal);
  }

  /** Milliseconds that this machine's clock is ahead of the database's. */
  get skew(): number {
    return this.#local.now() - this.now();
  }

  /**
   * Measures again; `read` returns the database's time. A slower measurement counts only if it shows that the earlier
   * one is no longer right.
   */
  async measure(read: () => Promise<number>): Promise<void> {
    const start = this.#local.monotonic();
    const there = await read();
    const trip = this.#local.monotonic() - start;
    const ahead = there - (start + trip / 2);
    const isWrong = Math.abs(ahead - this.#ahead) > trip / 2 + 1;
    if (trip > this.#trip && !isWrong) return;
    this.#ahead = ahead;
    this.#trip = trip;
  }
}

export async function openDatabaseClock(read: () => Promise<number>, local: Clock): Promise<DatabaseClock> {
  const clock = new DatabaseClock(local);
  for (let n = 0; n < FIRST_MEASUREMENTS; n++) await clock.measure(read);
  return clock;
}

/*
 * The processes that use a store on PostgreSQL. All times are by the database's clock, because the machines' clocks
 * differ, and a wrong one must not make its node look dead or alive.
 */

/** Milliseconds without a heartbeat after which a node counts as gone. If it resumes later, others have its leases. */
export const NODE_TIMEOUT = 10_000;

/**
 * A heartbeat of a node; the first one registers it. Returns the database's time, and checks whether the store has
 * become too new.
 */
export async function sendHeartbeat(
  db: Db,
  { id, version }: Pick<NodeRow, 'id' | 'version'>,
): Promise<number> {
  const { rows } = await sql<
    Pick<NodeRow, 'seen_at'> & { oldest_reader: string | null }
  >`insert into nodes (id, version, started_at, seen_at)
    values (${id}, ${version}, ${DATABASE_NOW}, ${DATABASE_NOW})
    on conflict (id) do update set seen_at = excluded.seen_at, version = excluded.version
    returning seen_at, ${sql.raw(OLDEST_READER)} as oldest_reader`.execute(db);
  db.store.schema.learn(rows[0]?.oldest_reader);
  return rows[0]?.seen_at ?? 0;
}

/** Signs off a node that has ended normally. */
export async function signOff(db: Db, id: string): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute();
}

/** The nodes that were seen in the last `within` milliseconds. */
export async function listNodes(db: Db, within: number): Promise<NodeRow[]> {
  return await db
    .selectFrom('nodes')
    .selectAll()
    .where('seen_at', '>=', sql<number>`${DATABASE_NOW} - ${within}::bigint`)
    .orderBy('started_at')
    .orderBy('id')
    .execute();
}

/** Deletes the nodes without a heartbeat for `after` milliseconds. */
export async function pruneNodes(db: Db, after: number): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where('seen_at', '<', sql<number>`${DATABASE_NOW} - ${after}::bigint`)
    .execute();
}

/*
 * Work that one of several nodes on PostgreSQL does for all. All times are by the database's clock, because a
 * machine's may be wrong.
 */

/** A node that does a chore. `lease`: milliseconds after which it counts as gone unless it renews the lease. */
export interface ChoreHolder {
  readonly owner: string;
  readonly lease: number;
}

/**
 * Takes a chore, which is due again `every` milliseconds from now. False if it is not due, or another node is doing
 * it. Times further ahead are from before the database's clock was set back. Reads the clock each time: `excluded` was
 * computed before the statement waited for a node that took the chore in the meantime, whose times would then look too
 * far ahead.
 */
export async function takeChore(
  db: Db,
  name: string,
  { owner, lease, every }: ChoreHolder & { readonly every: number },
): Promise<boolean> {
  const due = sql`${DATABASE_NOW} + ${every}::bigint`;
  const until = sql`${DATABASE_NOW} + ${lease}::bigint`;
  const { rows } = await sql`
    insert into chores (name, due_at, lease_owner, lease_until) values (${name}, ${due}, ${owner}, ${until})
    on conflict (name) do update set due_at = ${due}, lease_owner = ${owner}, lease_until = ${until}
      where (chores.due_at <= ${DATABASE_NOW} or chores.due_at > ${due})
        and (chores.lease_until is null or chores.lease_until < ${DATABASE_NOW} or chores.lease_until > ${until})
    returning name`.execute(db);
  return rows.length === 1;
}

export async function renewChore(db: Db, name: string, { owner, lease }: ChoreHolder): Promise<void> {
  const lease_until = sql<number>`${DATABASE_NOW} + ${lease}::bigint`;
  await choreOf(db, name, owner).set({ lease_until }).execute();
}

export async function endChore(db: Db, name: string, owner: string): Promise<void> {
  await choreOf(db, name, owner).set({ lease_owner: null, lease_until: null }).execute();
}

function choreOf(db: Db, name: string, owner: string) {
  return db.updateTable('chores').where('name', '=', name).where('lease_owner', '=', owner);
}
