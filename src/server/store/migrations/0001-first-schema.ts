import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

// A query uses a partial index only when it names the condition in the same words, as literals.
const PENDING = sql<boolean>`status in ('waiting', 'processing')`;
const WAITING = sql<boolean>`status = 'waiting'`;
const PROCESSING = sql<boolean>`status = 'processing'`;
const PUBLIC = sql<boolean>`visibility = 'public'`;
const FINISHED = sql<boolean>`finished_at is not null`;

export async function firstSchema(db: Kysely<Tables>): Promise<void> {
  await createCallers(db);
  await createSkins(db);
  await createJobs(db);
}

async function createCallers(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('last4', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createTable('usage')
    .addColumn('owner', 'text', (c) => c.primaryKey())
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('minute_used', 'integer', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('hour_used', 'integer', (c) => c.notNull())
    .execute();
}

async function createSkins(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('textures')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('width', 'integer', (c) => c.notNull())
    .addColumn('height', 'integer', (c) => c.notNull())
    .addColumn('png', 'blob', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('texture_data')
    .addColumn('identity', 'text', (c) => c.primaryKey())
    .addColumn('texture_hash', 'text', (c) => c.notNull().references('textures.hash'))
    .addColumn('variant', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('signature', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('generator_version', 'text', (c) => c.notNull())
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('server', 'text', (c) => c.notNull())
    .addColumn('worker', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('duration', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('skins')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull().references('texture_data.identity'))
    .addColumn('name', 'text')
    .addColumn('visibility', 'text', (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  // A known picture: this caller's own record of it. Public list: newest first, read backwards.
  await db.schema
    .createIndex('skins_by_owner')
    .on('skins')
    .columns(['owner', 'identity', 'visibility'])
    .execute();
  await db.schema.createIndex('skins_public').on('skins').column('id').where(PUBLIC).execute();
}

async function createJobs(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('request_key', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('texture_hash', 'text', (c) => c.notNull().references('textures.hash'))
    .addColumn('variant', 'text', (c) => c.notNull())
    .addColumn('visibility', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('skin_uuid', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('run_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  // The caller's list, newest first; what may be claimed, oldest first; leases that may have run out;
  // one pending job per caller and request (also what counts a caller's open spots); retention.
  await db.schema.createIndex('jobs_by_owner').on('jobs').columns(['owner', 'id']).execute();
  await db.schema.createIndex('jobs_waiting').on('jobs').column('id').where(WAITING).execute();
  await db.schema.createIndex('jobs_leased').on('jobs').column('lease_until').where(PROCESSING).execute();
  await db.schema
    .createIndex('jobs_pending')
    .unique()
    .on('jobs')
    .columns(['owner', 'request_key'])
    .where(PENDING)
    .execute();
  await db.schema.createIndex('jobs_finished').on('jobs').column('finished_at').where(FINISHED).execute();
}
