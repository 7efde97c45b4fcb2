import { sql } from 'kysely';
import { DATABASE_NOW } from './database-time.ts';
import type { Db } from './db.ts';

/*
 * What one of several nodes on PostgreSQL does for all of them. All times are by the database's clock: that of a machine
 * may be wrong.
 */

/** A node that does a chore. `lease`: milliseconds after which it counts as gone, unless it says that it goes on. */
export interface ChoreHolder {
  readonly owner: string;
  readonly lease: number;
}

/**
 * Takes a chore, which is due again `every` milliseconds from now. False if it is not due, or another node is at it.
 * Times further ahead than that are from before the database's clock was set back. Every time is read from the clock
 * again: `excluded` was computed before the statement waited for a node that took the chore meanwhile, whose times would
 * then look too far ahead.
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

/** Still at it. */
export async function renewChore(db: Db, name: string, { owner, lease }: ChoreHolder): Promise<void> {
  await db
    .updateTable('chores')
    .set({ lease_until: sql<number>`${DATABASE_NOW} + ${lease}::bigint` })
    .where('name', '=', name)
    .where('lease_owner', '=', owner)
    .execute();
}

/** Done, for this time. */
export async function endChore(db: Db, name: string, owner: string): Promise<void> {
  await db
    .updateTable('chores')
    .set({ lease_owner: null, lease_until: null })
    .where('name', '=', name)
    .where('lease_owner', '=', owner)
    .execute();
}
