import type { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type { Report, reportBodySchema } from '../../../protocol/moderation.ts';
import { HOUR } from '../../fairness/rate-limits.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import {
  closeReport,
  countOpenReports,
  countReports,
  findReport,
  insertReport,
  listReports,
  type ReportCounts,
  type ReportPage,
  type ReportWithSkin,
} from '../../store/moderation.ts';
import { ANONYMOUS_OWNERS, type Caller, requireOperator } from '../callers/caller.ts';
import { readRateLimit } from '../limits/rate-limit.ts';
import { Refusal } from '../refusal.ts';
import { readSkin } from '../skins/skins.ts';
import { logAction } from './log.ts';

export interface ModerationContext {
  readonly db: Db;
  readonly clock: Clock;
}

/** Reports per hour and caller. */
const MAX_PER_REPORTER = 10;
/** Maximum open reports per skin. More tell the operator nothing new. */
const MAX_PER_SKIN = 20;
/** Maximum open reports by callers without a key, and as many by users, so that the former cannot shut out the latter. */
const MAX_OPEN = 10_000;

/**
 * Reports a skin that the caller can see to the operators. A second report of the same skin by the same caller changes
 * nothing, nor does one of a skin that many have reported. @throws Refusal `skin_not_found`, `rate_limit`
 */
export async function reportSkin(
  { db, clock }: ModerationContext,
  caller: Caller,
  { uuid, reason, text }: z.output<typeof reportBodySchema> & { readonly uuid: string },
): Promise<void> {
  await readSkin({ db }, caller, uuid);
  const { owner: reporter } = caller;
  const now = clock.now();
  const counts = await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    const counted = await countReports(tx, {
      ...{ skin: uuid, reporter, strangersBegin: ANONYMOUS_OWNERS },
      ...{ since: now - HOUR.span, most: MAX_OPEN },
    });
    if (isWanted(counted, caller)) {
      await insertReport(tx, { skin_uuid: uuid, reporter, reason, text, created_at: now });
    }
    return counted;
  });
  if (isKnown(counts) || isWanted(counts, caller)) return;
  const next = { absolute: now + HOUR.span, relative: HOUR.span };
  throw new Refusal('rate_limit', {
    message: 'Too many reports within an hour. Try again later.',
    rateLimit: { ...(await readRateLimit(db, caller, now)), next },
  });
}

function isKnown({ same, ofSkin }: ReportCounts): boolean {
  return same > 0 || ofSkin >= MAX_PER_SKIN;
}

function isWanted(counts: ReportCounts, caller: Caller): boolean {
  if (isKnown(counts)) return false;
  const isOperator = caller.kind === 'user' && caller.isOperator;
  return isOperator || (counts.ofReporter < MAX_PER_REPORTER && counts.open < MAX_OPEN);
}

/** The reports, newest first. @throws Refusal for callers other than the operator */
export async function readReports(
  { db }: { readonly db: Db },
  caller: Caller,
  page: ReportPage,
): Promise<Report[]> {
  requireOperator(caller);
  return (await listReports(db, page)).map(reportView);
}

/** Number of open reports. @throws Refusal for callers other than the operator */
export async function countReportsToDecide({ db }: { readonly db: Db }, caller: Caller): Promise<number> {
  requireOperator(caller);
  return await countOpenReports(db, MAX_OPEN);
}

/** Closes a report without changing its skin. @throws Refusal `not_found` */
export async function dismissReport(
  { db, clock }: ModerationContext,
  caller: Caller,
  { id, note }: { readonly id: number; readonly note: string },
): Promise<Report> {
  const operator = requireOperator(caller);
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    const report = await findReport(tx, id);
    if (!report) throw new Refusal('not_found', `No report ${id}.`);
    if (report.closed_at !== null) return reportView(report);
    const now = clock.now();
    await closeReport(tx, id, now);
    await logAction(tx, clock, { operator, action: 'close_report', subject: String(id), note });
    return reportView({ ...report, closed_at: now });
  });
}

/** If the owner made the skin private after the report, it stays private even from operators. */
function reportView(report: ReportWithSkin): Report {
  const { id, skin_uuid, name, visibility, hidden_from, texture_hash, reason, text } = report;
  const { created_at, closed_at } = report;
  const isSeen = visibility !== null && (visibility !== 'private' || hidden_from !== null);
  return {
    id: String(id),
    skin: skin_uuid,
    ...(isSeen && name !== null && { name }),
    ...(isSeen && texture_hash !== null && { texture: texture_hash }),
    ...(visibility !== null && { visibility }),
    hidden: hidden_from !== null,
    reason,
    text,
    createdAt: new Date(created_at).toISOString(),
    ...(closed_at !== null && { closedAt: new Date(closed_at).toISOString() }),
  };
}
