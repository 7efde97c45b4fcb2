import type { Kysely } from 'kysely';
import { isPostgres } from './dialect.ts';
import { lockQueue } from './locks.ts';
import { keepMeta, readMeta, writeMeta } from './meta.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { idempotencyKeys } from './migrations/0002-idempotency-keys.ts';
import { usersAndKeys } from './migrations/0003-users-and-keys.ts';
import { fairQueue } from './migrations/0004-fair-queue.ts';
import { skinRecords } from './migrations/0005-skin-records.ts';
import { capes } from './migrations/0006-capes.ts';
import { callbacks } from './migrations/0007-callbacks.ts';
import { players } from './migrations/0008-players.ts';
import { gameAccounts } from './migrations/0009-accounts.ts';
import { upstreamJobs } from './migrations/0010-upstream-jobs.ts';
import { burst } from './migrations/0011-burst.ts';
import { keyScopes } from './migrations/0012-key-scopes.ts';
import { failedJobs } from './migrations/0013-failed-jobs.ts';
import { insideNames } from './migrations/0014-inside-names.ts';
import { accountOwners } from './migrations/0015-account-owners.ts';
import { madeWhen } from './migrations/0016-made-when.ts';
import { submissionsUnderWay } from './migrations/0017-submissions-under-way.ts';
import { fewerStatements } from './migrations/0018-fewer-statements.ts';
import { sessions } from './migrations/0019-sessions.ts';
import { nodesAndChores } from './migrations/0020-nodes-and-chores.ts';
import { moderation } from './migrations/0021-moderation.ts';
import { sourceNames } from './migrations/0022-source-names.ts';
import { identities } from './migrations/0023-identities.ts';
import type { Tables } from './schema/tables.ts';

type Migration = (db: Kysely<Tables>, isPostgres: boolean) => Promise<void>;

/** In order; a store's version is the number of migrations applied to it. Never change one that was released. */
const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  idempotencyKeys,
  usersAndKeys,
  fairQueue,
  skinRecords,
  capes,
  callbacks,
  players,
  gameAccounts,
  upstreamJobs,
  burst,
  keyScopes,
  failedJobs,
  insideNames,
  accountOwners,
  madeWhen,
  submissionsUnderWay,
  fewerStatements,
  sessions,
  nodesAndChores,
  moderation,
  sourceNames,
  identities,
];

/**
 * Those after which programs that know only the schema before can go on: they add what nothing else needs, so nodes of
 * two versions work side by side on PostgreSQL. What such a program still uses is removed by a later one, not among these.
 */
const EXPANDING: ReadonlySet<Migration> = new Set([nodesAndChores, moderation, sourceNames, identities]);

/** The schema that this version of the program writes. */
export const NEWEST_SCHEMA = MIGRATIONS.length;

export class StoreTooNewError extends Error {
  override readonly name = 'StoreTooNewError';
  readonly code = 'store_too_new';
}

/**
 * Updates the schema (to `version`, if given), with one transaction per step, safely even if several processes start at
 * once.
 */
export async function migrate(db: Kysely<Tables>, version = MIGRATIONS.length): Promise<void> {
  await db.schema
    .createTable('meta')
    .ifNotExists()
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  while ((await readVersion(db)) < version) {
    await db.transaction().execute(takeNextStep);
  }
}

async function takeNextStep(tx: Kysely<Tables>): Promise<void> {
  await lockQueue(tx);
  const version = await readVersion(tx);
  const step = MIGRATIONS[version];
  if (!step) return; // another process applied it while this one waited for the lock
  await step(tx, isPostgres(tx));
  if (isPostgres(tx)) await noteOldestReader(tx, version, step);
  await writeMeta(tx, 'schema', String(version + 1));
}

/** On SQLite one program at a time uses the store, and an older one is not expected back. */
async function noteOldestReader(tx: Kysely<Tables>, version: number, step: Migration): Promise<void> {
  if (EXPANDING.has(step)) await keepMeta(tx, 'oldest-reader', String(version));
  else await writeMeta(tx, 'oldest-reader', String(version + 1));
}

/** Number of migrations applied to the store. @throws StoreTooNewError */
export async function readVersion(db: Kysely<Tables>): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'schema').executeTakeFirst();
  const version = Number(row?.value ?? 0);
  if (version > MIGRATIONS.length && (await oldestReader(db)) > MIGRATIONS.length) {
    throw new StoreTooNewError(
      `The data was written by a newer skinsmith (schema ${version}, this one knows ${MIGRATIONS.length}).`,
    );
  }
  return version;
}

/** The schema that a program must know at least to use the store: a change may leave room for programs before it. */
async function oldestReader(db: Kysely<Tables>): Promise<number> {
  return Number((await readMeta(db, 'oldest-reader')) ?? Number.POSITIVE_INFINITY);
}
