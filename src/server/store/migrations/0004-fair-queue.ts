import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

// A query uses a partial index only when it names the condition in the same words, as literals.
const WAITING = sql<boolean>`status = 'waiting'`;
const PROCESSING = sql<boolean>`status = 'processing'`;

/**
 * Jobs are taken by turn and no longer by number, and what a caller spends is counted in sliding windows:
 * the counts of the fixed ones, an hour old at the most, are dropped.
 */
export async function fairQueue(db: Kysely<Tables>): Promise<void> {
  await db.schema.dropTable('usage').execute();
  await db.schema
    .createTable('callers')
    .addColumn('owner', 'text', (c) => c.primaryKey())
    .addColumn('turn', 'real', (c) => c.notNull())
    .addColumn('spent_at', 'bigint', (c) => c.notNull())
    .addColumn('generated_at', 'bigint', (c) => c.notNull())
    .addColumn('minute', 'text', (c) => c.notNull())
    .addColumn('hour', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('queue_clock')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('turn', 'real', (c) => c.notNull())
    .execute();
  await db.insertInto('queue_clock').values({ id: 1, turn: 0 }).execute();
  await addJobColumns(db);
}

async function addJobColumns(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('jobs')
    .addColumn('via', 'text', (c) => c.notNull().defaultTo('queue'))
    .execute();
  await db.schema
    .alterTable('jobs')
    .addColumn('turn', 'real', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('jobs')
    .addColumn('concurrency', 'integer', (c) => c.notNull().defaultTo(1_000))
    .execute();
  // What may be claimed, in the order of the turns; how many of an owner's are with the workers.
  await db.schema.dropIndex('jobs_waiting').execute();
  await db.schema.createIndex('jobs_by_turn').on('jobs').columns(['turn', 'id']).where(WAITING).execute();
  await db.schema.dropIndex('jobs_leased').execute();
  await db.schema.createIndex('jobs_processing').on('jobs').column('owner').where(PROCESSING).execute();
}
