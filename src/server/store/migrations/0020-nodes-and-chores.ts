import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Who uses the store, where that are several machines, and which of them does what only one has to do. */
export async function nodesAndChores(db: Kysely<Tables>, isPostgres: boolean): Promise<void> {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('chores')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .execute();
  if (isPostgres) await sql.raw(CLOCK_WITHOUT_QUEUE).execute(db);
}

/**
 * Every claim moves the queue's clock, which is one row: claims of several nodes waited for each other's commits. While
 * another one moves it, it may stay behind for a moment: whoever submits the first job then starts a few turns earlier.
 */
const CLOCK_WITHOUT_QUEUE = `
  create or replace function skinsmith_count_job() returns trigger language plpgsql as $$
  begin
    if new.status = 'processing' then
      update callers set processing = processing + 1 where owner = new.owner;
      update queue_clock set turn = new.turn where id in
        (select id from queue_clock where id = 1 and turn < new.turn for update skip locked);
    elsif old.status = 'processing' then
      update callers set processing = processing - 1 where owner = new.owner;
    end if;
    return null;
  end $$;
`;
