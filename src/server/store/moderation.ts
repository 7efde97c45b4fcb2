import { type AliasableExpression, type SqlBool, sql } from 'kysely';
import { countUpTo, type Db, hasEffect, insertNew } from './db.ts';
import type { BlockedImageRow, OperatorLogRow, ReportRow, SkinRow } from './schema/tables.ts';
import { joinedTags } from './skins.ts';

/** A report with the current state of its skin or set; all null: it is gone. */
export type ReportWithSubject = ReportRow & {
  readonly [Field in 'name' | 'visibility' | 'hidden_from' | 'owner']: SkinRow[Field] | null;
} & {
  /** Only skins have these two. */
  readonly texture_hash: string | null;
  readonly tags: string | null;
  /** Number of reports about it. */
  readonly of_subject: number;
};

export async function insertReport(db: Db, report: Omit<ReportRow, 'id' | 'closed_at'>): Promise<void> {
  await db.insertInto('reports').values(report).execute();
}

/** Counts that limit reports. */
export interface ReportCounts {
  /** Open reports of the skin or set. */
  readonly ofSubject: number;
  /** Open reports about it by this reporter. */
  readonly same: number;
  /** Reports of anything by the reporter since a moment. */
  readonly ofReporter: number;
  /** Open reports by anonymous callers or, for a user, by users; counted up to `most`. */
  readonly open: number;
}

interface CountedReports {
  readonly subject: string;
  readonly reporter: string;
  /** The prefix of anonymous callers' names. */
  readonly strangersBegin: string;
  readonly since: number;
  readonly most: number;
}

export async function countReports(
  db: Db,
  { subject, reporter, strangersBegin, since, most }: CountedReports,
): Promise<ReportCounts> {
  const isStranger = reporter.startsWith(strangersBegin);
  const open = db.selectFrom('reports').select('id').where('closed_at', 'is', null);
  const ofSubject = open.where('subject', '=', subject);
  const ofReporter = db.selectFrom('reports').select('id').where('reporter', '=', reporter);
  return {
    ofSubject: await countUpTo(db, ofSubject, most),
    same: await countUpTo(db, ofSubject.where('reporter', '=', reporter), most),
    ofReporter: await countUpTo(db, ofReporter.where('created_at', '>', since), most),
    open: await countUpTo(
      db,
      open.where('reporter', isStranger ? 'like' : 'not like', `${strangersBegin}%`),
      most,
    ),
  };
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
): Promise<ReportWithSubject[]> {
  const page = reportsWithSubjects(db)
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

export async function findReport(db: Db, id: number): Promise<ReportWithSubject | undefined> {
  return await reportsWithSubjects(db).where('reports.id', '=', id).executeTakeFirst();
}

/** Number of open reports, up to `most`. */
export async function countOpenReports(db: Db, most: number): Promise<number> {
  return await countUpTo(db, db.selectFrom('reports').select('id').where('closed_at', 'is', null), most);
}

export async function closeReport(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('reports').set({ closed_at: now }).where('id', '=', id).execute();
}

/** Closes the open reports of a skin or set. */
export async function closeReportsOf(db: Db, subject: string, now: number): Promise<void> {
  await db
    .updateTable('reports')
    .set({ closed_at: now })
    .where('subject', '=', subject)
    .where('closed_at', 'is', null)
    .execute();
}

/** Opens a closed report again, with those about the same skin or set that were closed with it. */
export async function reopenReports(
  db: Db,
  { subject, closed_at }: Pick<ReportRow, 'subject' | 'closed_at'>,
): Promise<void> {
  await db
    .updateTable('reports')
    .set({ closed_at: null })
    .where('subject', '=', subject)
    .where('closed_at', '=', closed_at)
    .execute();
}

/** Deletes the reports closed before this time. */
export async function pruneReports(db: Db, before: number): Promise<void> {
  await db.deleteFrom('reports').where('closed_at', '<', before).execute();
}

function reportsWithSubjects(db: Db) {
  return db
    .selectFrom('reports')
    .leftJoin('skins', 'skins.uuid', 'reports.subject')
    .leftJoin('sets', 'sets.uuid', 'reports.subject')
    .leftJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .selectAll('reports')
    .select((eb) => [
      eb.fn.coalesce('skins.name', 'sets.name').as('name'),
      eb.fn.coalesce('skins.visibility', 'sets.visibility').as('visibility'),
      eb.fn.coalesce('skins.hidden_from', 'sets.hidden_from').as('hidden_from'),
      eb.fn.coalesce('skins.owner', 'sets.owner').as('owner'),
      'texture_data.texture_hash',
      joinedTags(eb).as('tags'),
    ])
    .select(
      sql<number>`(select count(*) from reports as others where others.subject = reports.subject)`.as(
        'of_subject',
      ),
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
  return await insertNew(db, 'blocked_images', image);
}

/** False if the image is not blocked. */
export async function deleteBlockedImage(db: Db, hash: string): Promise<boolean> {
  return await hasEffect(db.deleteFrom('blocked_images').where('hash', '=', hash));
}

/** Ordered by hash. `after`: the last hash of the previous page. */
export async function listBlockedImages(
  db: Db,
  { after, size }: { after?: string | undefined; size: number },
): Promise<BlockedImageRow[]> {
  const page = db.selectFrom('blocked_images').selectAll().orderBy('hash').limit(size);
  return await (after === undefined ? page : page.where('hash', '>', after)).execute();
}
