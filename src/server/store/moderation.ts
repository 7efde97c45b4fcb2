import { type AliasableExpression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './db.ts';
import type { BlockedImageRow, OperatorLogRow, ReportRow, SkinRow, Tables } from './schema/tables.ts';

/** A report with the current state of its skin; all null: the skin is gone. */
export type ReportWithSkin = ReportRow & {
  readonly [Field in 'name' | 'visibility' | 'hidden_from' | 'owner']: SkinRow[Field] | null;
} & {
  readonly texture_hash: string | null;
  /** Reports of the skin. */
  readonly of_skin: number;
};

export async function insertReport(db: Db, report: Omit<ReportRow, 'id' | 'closed_at'>): Promise<void> {
  await db.insertInto('reports').values(report).execute();
}

/** Counts that limit reports. */
export interface ReportCounts {
  /** Open reports of the skin. */
  readonly ofSkin: number;
  /** Open reports of the skin by the reporter. */
  readonly same: number;
  /** Reports of any skin by the reporter since a moment. */
  readonly ofReporter: number;
  /** Open reports by anonymous callers or, for a user, by users; counted up to `most`. */
  readonly open: number;
}

interface CountedReports {
  readonly skin: string;
  readonly reporter: string;
  /** The prefix of anonymous callers' names. */
  readonly strangersBegin: string;
  readonly since: number;
  readonly most: number;
}

export async function countReports(
  db: Db,
  { skin, reporter, strangersBegin, since, most }: CountedReports,
): Promise<ReportCounts> {
  const isStranger = reporter.startsWith(strangersBegin);
  const open = db.selectFrom('reports').select('id').where('closed_at', 'is', null);
  const ofSkin = open.where('skin_uuid', '=', skin);
  const ofReporter = db.selectFrom('reports').select('id').where('reporter', '=', reporter);
  return {
    ofSkin: await countUpTo(db, ofSkin, most),
    same: await countUpTo(db, ofSkin.where('reporter', '=', reporter), most),
    ofReporter: await countUpTo(db, ofReporter.where('created_at', '>', since), most),
    open: await countUpTo(
      db,
      open.where('reporter', isStranger ? 'like' : 'not like', `${strangersBegin}%`),
      most,
    ),
  };
}

async function countUpTo(
  db: Db,
  reports: SelectQueryBuilder<Tables, 'reports', object>,
  most: number,
): Promise<number> {
  const { count } = await db
    .selectFrom(reports.limit(most).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface ReportPage {
  readonly state: 'open' | 'closed';
  /** The last number of the previous page. */
  readonly after?: number | undefined;
  readonly size: number;
  /** Numbers of reports to include whatever their state. */
  readonly kept?: readonly number[];
}

/** The reports, newest first. */
export async function listReports(
  db: Db,
  { state, after, size, kept = [] }: ReportPage,
): Promise<ReportWithSkin[]> {
  const page = reportsWithSkins(db)
    .where(({ eb, or }) =>
      or([
        eb('reports.closed_at', state === 'open' ? 'is' : 'is not', null),
        ...(kept.length > 0 ? [eb('reports.id', 'in', [...kept])] : []),
      ]),
    )
    .orderBy('reports.id', 'desc')
    .limit(size);
  return await (after === undefined ? page : page.where('reports.id', '<', after)).execute();
}

export async function findReport(db: Db, id: number): Promise<ReportWithSkin | undefined> {
  return await reportsWithSkins(db).where('reports.id', '=', id).executeTakeFirst();
}

/** Number of open reports, up to `most`. */
export async function countOpenReports(db: Db, most: number): Promise<number> {
  return await countUpTo(db, db.selectFrom('reports').select('id').where('closed_at', 'is', null), most);
}

export async function closeReport(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('reports').set({ closed_at: now }).where('id', '=', id).execute();
}

/** Closes the open reports of a skin. */
export async function closeReportsOf(db: Db, skin: string, now: number): Promise<void> {
  await db
    .updateTable('reports')
    .set({ closed_at: now })
    .where('skin_uuid', '=', skin)
    .where('closed_at', 'is', null)
    .execute();
}

/** Deletes the reports closed before this time. */
export async function pruneReports(db: Db, before: number): Promise<void> {
  await db.deleteFrom('reports').where('closed_at', '<', before).execute();
}

function reportsWithSkins(db: Db) {
  return db
    .selectFrom('reports')
    .leftJoin('skins', 'skins.uuid', 'reports.skin_uuid')
    .leftJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .select(['reports.id', 'reports.skin_uuid', 'reports.reporter', 'reports.reason', 'reports.text'])
    .select(['reports.created_at', 'reports.closed_at'])
    .select([
      'skins.name',
      'skins.visibility',
      'skins.hidden_from',
      'skins.owner',
      'texture_data.texture_hash',
    ])
    .select((eb) =>
      eb
        .selectFrom('reports as all')
        .select((all) => all.fn.countAll<number>().as('count'))
        .whereRef('all.skin_uuid', '=', 'reports.skin_uuid')
        .$asScalar()
        .$notNull()
        .as('of_skin'),
    );
}

export async function appendToLog(db: Db, entry: Omit<OperatorLogRow, 'id'>): Promise<void> {
  await db.insertInto('operator_log').values(entry).execute();
}

/** The log, newest first. `after`: the last number of the previous page. */
export async function readLog(
  db: Db,
  { after, size }: { after?: number | undefined; size: number },
): Promise<OperatorLogRow[]> {
  const page = db.selectFrom('operator_log').selectAll().orderBy('id', 'desc').limit(size);
  return await (after === undefined ? page : page.where('id', '<', after)).execute();
}

/** An expression: whether an operator has blocked the image with this pixel hash. */
export function isBlocked(hash: string): AliasableExpression<SqlBool> {
  return sql<SqlBool>`exists (select 1 from blocked_images where blocked_images.hash = ${hash})`;
}

export async function findBlockedImage(db: Db, hash: string): Promise<BlockedImageRow | undefined> {
  return await db.selectFrom('blocked_images').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export async function findBlockedImages(db: Db, hashes: readonly string[]): Promise<BlockedImageRow[]> {
  if (hashes.length === 0) return []; // PostgreSQL has no empty lists
  return await db.selectFrom('blocked_images').selectAll().where('hash', 'in', hashes).execute();
}

/** False if the image is already blocked. */
export async function insertBlockedImage(db: Db, image: BlockedImageRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('blocked_images')
    .values(image)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** False if the image is not blocked. */
export async function deleteBlockedImage(db: Db, hash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_images')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ordered by hash. `after`: the last hash of the previous page. */
export async function listBlockedImages(
  db: Db,
  { after, size }: { after?: string | undefined; size: number },
): Promise<BlockedImageRow[]> {
  const page = db.selectFrom('blocked_images').selectAll().orderBy('hash').limit(size);
  return await (after === undefined ? page : page.where('hash', '>', after)).execute();
}
