import { type Kysely, sql } from 'kysely';
import { systemClock } from '../../base/clock.ts';
import { isLockTimeout } from './conflicts.ts';
import { inTransaction } from './db.ts';
import { isPostgres } from './dialect.ts';
import { StoreTooNewError } from './known-schema.ts';
import { lockSchema } from './locks.ts';
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
import { identitiesByUser } from './migrations/0024-identities-by-user.ts';
import type { Tables } from './schema/tables.ts';

/** One step from a version of the schema to the next. */
export interface Migration {
  readonly apply: (db: Kysely<Tables>, isPostgres: boolean) => Promise<void>;
  /**
   * Whether programs that know only the schema before can go on: it adds what nothing else needs, so programs of two
   * versions work side by side. What the older one still uses is removed by a later step that does not expand.
   */
  readonly expands: boolean;
}

const required = (apply: Migration['apply']): Migration => ({ apply, expands: false });
const expanding = (apply: Migration['apply']): Migration => ({ apply, expands: true });

/** In order; a store's version is the number of migrations applied to it. Never change one that was released. */
export const MIGRATIONS: readonly Migration[] = [
  required(firstSchema),
  required(idempotencyKeys),
  required(usersAndKeys),
  required(fairQueue),
  required(skinRecords),
  required(capes),
  required(callbacks),
  required(players),
  required(gameAccounts),
  required(upstreamJobs),
  required(burst),
  required(keyScopes),
  required(failedJobs),
  required(insideNames),
  required(accountOwners),
  required(madeWhen),
  required(submissionsUnderWay),
  required(fewerStatements),
  required(sessions),
  expanding(nodesAndChores),
  expanding(moderation),
  expanding(sourceNames),
  expanding(identities),
  expanding(identitiesByUser),
];

/** The schema that this version of the program writes. */
export const NEWEST_SCHEMA = MIGRATIONS.length;

/**
 * Updates the schema, with one transaction per step, safely even if several processes start at once, and while programs
 * of the version before are at work.
 * @param known all migrations that the program knows
 * @throws StoreTooNewError
 */
export async function migrate(db: Kysely<Tables>, known: readonly Migration[] = MIGRATIONS): Promise<void> {
  await db.schema
    .createTable('meta')
    .ifNotExists()
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  while ((await readVersion(db, known)) < known.length) await advance(db, known);
}

/**
 * Milliseconds that a step waits for a table: at first less than those after which PostgreSQL ends one of a circle of
 * waiting ones. More each time, so that it comes through on a busy machine.
 */
const PATIENCE = 300;
const MORE_PATIENCE = 100;
const MOST_PATIENCE = 3_000;
/** Milliseconds until a step that gave way is tried again, and how often. */
const PAUSE = 200;
const MOST_TRIES = 100;

/**
 * Takes the next step. It locks whole tables, in an order of its own: on PostgreSQL it gives way to programs at work, so
 * that none of them fails or waits for long.
 */
async function advance(db: Kysely<Tables>, known: readonly Migration[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const patience = Math.min(MOST_PATIENCE, PATIENCE + (tries - 1) * MORE_PATIENCE);
      return await inTransaction(db, async (tx) => await takeNextStep(tx, known, patience));
    } catch (error) {
      if (tries === MOST_TRIES || !isLockTimeout(error)) throw error;
      await systemClock.sleep(PAUSE);
    }
  }
}

async function takeNextStep(
  tx: Kysely<Tables>,
  known: readonly Migration[],
  patience: number,
): Promise<void> {
  await lockSchema(tx);
  if (isPostgres(tx)) await sql`select set_config('lock_timeout', ${String(patience)}, true)`.execute(tx);
  const version = await readVersion(tx, known);
  const step = known[version];
  if (!step) return; // another process applied it while this one waited for the lock
  await step.apply(tx, isPostgres(tx));
  if (step.expands) await keepMeta(tx, 'oldest-reader', String(version));
  await writeMeta(tx, step.expands ? ['schema'] : ['schema', 'oldest-reader'], String(version + 1));
}

/** Number of migrations applied to the store. @throws StoreTooNewError */
export async function readVersion(
  db: Kysely<Tables>,
  { length: known }: readonly Migration[] = MIGRATIONS,
): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'schema').executeTakeFirst();
  const version = Number(row?.value ?? 0);
  if (version > known && (await oldestReader(db)) > known) {
    throw new StoreTooNewError(
      `The data was written by a newer skinsmith (schema ${version}, this one knows ${known}).`,
      `Install the newer version, or ${isPostgres(db) ? 'name another database: --store or SKINSMITH_STORE' : 'choose another folder: SKINSMITH_DATA_DIR'}`,
    );
  }
  return version;
}

/** The schema that a program must know at least to use the store: a change may leave room for programs before it. */
async function oldestReader(db: Kysely<Tables>): Promise<number> {
  return Number((await readMeta(db, 'oldest-reader')) ?? Number.POSITIVE_INFINITY);
}
