import { sql } from 'kysely';
import { DATABASE_NOW } from './database-time.ts';
import type { Db } from './db.ts';
import { OLDEST_READER } from './known-schema.ts';
import type { NodeRow } from './schema/tables.ts';

/*
 * The processes that use a store on PostgreSQL. All times are by the database's clock: those of the machines differ, and
 * one that is wrong must not make its node look dead, or alive.
 */

/** Milliseconds after which a node that was not seen counts as gone. Should it go on later, its leases are others'. */
export const NODE_IS_GONE = 10_000;

interface Beat extends Pick<NodeRow, 'seen_at'> {
  readonly oldest_reader: string | null;
}

/**
 * Says that a node is alive; the first call makes it known. Returns the time by the database's clock. On the way it is
 * learned whether the store has become too new.
 */
export async function beat(db: Db, { id, version }: Pick<NodeRow, 'id' | 'version'>): Promise<number> {
  const { rows } = await sql<Beat>`insert into nodes (id, version, started_at, seen_at)
    values (${id}, ${version}, ${DATABASE_NOW}, ${DATABASE_NOW})
    on conflict (id) do update set seen_at = excluded.seen_at, version = excluded.version
    returning seen_at, ${sql.raw(OLDEST_READER)} as oldest_reader`.execute(db);
  db.store.schema.learn(rows[0]?.oldest_reader);
  return rows[0]?.seen_at ?? 0;
}

/** The node has ended as it should. */
export async function leave(db: Db, id: string): Promise<void> {
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

/** Removes the nodes that were not seen for `after` milliseconds. */
export async function forgetNodes(db: Db, after: number): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where('seen_at', '<', sql<number>`${DATABASE_NOW} - ${after}::bigint`)
    .execute();
}
