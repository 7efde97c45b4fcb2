import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Game } from '../../game/game.ts';
import {
  type BlockedImage,
  type blockBodySchema,
  imageHashSchema,
  type LogEntry,
  type ModeratedSkin,
  type OperatorAction,
  type Report,
  type reportBodySchema,
} from '../../protocol/moderation.ts';
import { HOUR } from '../fairness.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { inManagement } from '../store/locks.ts';
import {
  appendToLog,
  closeReport,
  closeReportsOf,
  countOpenReports,
  countReports,
  deleteBlockedImage,
  findBlockedImage,
  findBlockedImages,
  findReport,
  insertBlockedImage,
  insertReport,
  listBlockedImages,
  listReports,
  type ReportCounts,
  type ReportPage,
  type ReportWithSubject,
  readLog,
  reopenReports,
} from '../store/moderation.ts';
import type { BlockedImageRow, ReportRow, TextureRow } from '../store/schema/tables.ts';
import { findUsersById } from '../store/sessions.ts';
import {
  changeSkin,
  deleteSkinRow,
  findSkin,
  openIdentitiesOf,
  openSkinsOf,
  type SkinWithData,
  tagsOf,
} from '../store/skins.ts';
import { findTexture, storedTextures } from '../store/textures.ts';
import { undressSkin } from '../store/wardrobe.ts';
import {
  ANONYMOUS_OWNERS,
  type Caller,
  ownerOf,
  requireOperator,
  type StoreContext,
  type UserCaller,
  userIdOf,
} from './callers.ts';
import { readRateLimit, withWait } from './limits.ts';
import { Refusal } from './refusal.ts';
import { requireUnblocked, shareData, withdrawData, withdrawFromOwner } from './skins/identity.ts';
import { readSkin } from './skins/skins.ts';
import { findKnownTexture } from './sources/url.ts';

/** An operator's action and its subject. */
export interface OperatorLogInput {
  readonly operator: Pick<UserCaller, 'name'>;
  readonly action: OperatorAction;
  /** UUID of a skin, hash of an image, number of a report or name of a user. */
  readonly subject: string;
  readonly note?: string;
}

/** Logs an operator's action in the same transaction. */
export async function logAction(
  tx: Db,
  clock: Clock,
  { operator, action, subject, note = '' }: OperatorLogInput,
): Promise<void> {
  await appendToLog(tx, { at: clock.now(), operator: operator.name, action, subject, note });
}

/** The log of operators' actions, newest first. @throws Refusal for callers other than the operator */
export async function readOperatorLog(
  { db }: { readonly db: Db },
  caller: Caller,
  page: { readonly after?: number | undefined; readonly size: number },
): Promise<LogEntry[]> {
  requireOperator(caller);
  const entries = await readLog(db, page);
  return entries.map(({ id, at, ...entry }) => ({
    ...entry,
    id: String(id),
    at: new Date(at).toISOString(),
  }));
}

interface SkinDecision {
  readonly uuid: string;
  /** For the log. */
  readonly note: string;
}

/**
 * Hides a skin, which becomes private without its owner being able to change that, or shows it again with its previous
 * visibility. Hiding closes its open reports. @throws Refusal `skin_not_found`; `blocked_image` when showing a skin whose image is blocked
 */
export async function setHidden(
  { db, clock }: StoreContext,
  caller: Caller,
  { uuid, hidden, note }: SkinDecision & { readonly hidden: boolean },
): Promise<ModeratedSkin> {
  const operator = requireOperator(caller);
  return await inManagement(db, async (tx) => {
    const skin = await moderatedSkin(tx, uuid);
    const isHidden = skin.hidden_from !== null;
    if (hidden) await closeReportsOf(tx, uuid, clock.now());
    if (hidden !== isHidden) {
      if (hidden) await hide(tx, skin);
      else await showAgain(tx, skin);
      const action = hidden ? 'hide_skin' : 'show_skin';
      await logAction(tx, clock, { operator, action, subject: uuid, note });
    }
    const { visibility, hidden_from } = await moderatedSkin(tx, uuid);
    return { uuid, visibility, hidden: hidden_from !== null };
  });
}

async function hide(tx: Db, { id, visibility, identity }: SkinWithData): Promise<void> {
  await changeSkin(tx, id, { visibility: 'private', hidden_from: visibility });
  await withdrawData(tx, identity);
}

async function showAgain(tx: Db, skin: SkinWithData): Promise<void> {
  const visibility = skin.hidden_from ?? skin.visibility;
  if (visibility !== 'private') await requireUnblocked(tx, skin);
  await changeSkin(tx, skin.id, { visibility, hidden_from: null });
  if (visibility !== 'private') await shareData(tx, skin.identity);
}

/** Deletes any user's skin, takes it off all player names, and closes its reports. @throws Refusal `skin_not_found` */
export async function deleteAnySkin(
  { db, clock }: StoreContext,
  caller: Caller,
  { uuid, note }: SkinDecision,
): Promise<void> {
  const operator = requireOperator(caller);
  await inManagement(db, async (tx) => {
    const { id, identity } = await moderatedSkin(tx, uuid);
    await undressSkin(tx, uuid, { now: clock.now() });
    await deleteSkinRow(tx, id);
    await withdrawData(tx, identity);
    await closeReportsOf(tx, uuid, clock.now());
    await logAction(tx, clock, { operator, action: 'delete_skin', subject: uuid, note });
  });
}

/** A skin for operators to decide on. They do not see what its owner made private. @throws Refusal */
export async function moderatedSkin(db: Db, uuid: string): Promise<SkinWithData> {
  const skin = await findSkin(db, uuid);
  if (!skin || (skin.visibility === 'private' && skin.hidden_from === null)) {
    throw new Refusal('skin_not_found', `No skin ${uuid} that others can see.`);
  }
  return skin;
}

export interface BlockResult {
  readonly image: BlockedImage;
  /** Number of skins that were hidden. */
  readonly hidden: number;
}

/**
 * Blocks an image: the service refuses it and no longer serves it, and hides all skins that have it. Blocking it again
 * only hides newer ones. @throws Refusal `skin_not_found`
 */
export async function blockImage(
  context: StoreContext & { readonly game: Pick<Game, 'http'> },
  caller: Caller,
  input: z.output<typeof blockBodySchema>,
): Promise<BlockResult> {
  const operator = requireOperator(caller);
  const { db, clock } = context;
  const { note } = input;
  const hash =
    'hash' in input
      ? await pixelHash(context, input.hash)
      : (await moderatedSkin(db, input.skin)).texture_hash;
  const image = { hash, note, blocked_by: operator.name, blocked_at: clock.now() };
  // First, so that no further skin with the image appears.
  await inTransaction(db, async (tx) => {
    if (!(await insertBlockedImage(tx, image))) return;
    await logAction(tx, clock, { operator, action: 'block_image', subject: hash, note });
  });
  const hidden = await hideAll(context, hash);
  return { image: imageView((await findBlockedImage(db, hash)) ?? image), hidden };
}

/** Skins that the game has signed have its name for their texture, where others have the hash of the pixels. */
async function pixelHash(
  context: { readonly db: Db; readonly game: Pick<Game, 'http'> },
  hash: string,
): Promise<string> {
  const url = `${context.game.http.addresses.textures}/texture/${hash}`;
  const known = await findKnownTexture(context, { url, hash });
  if (known) return known.hash;
  if (imageHashSchema.safeParse(hash).success) return hash;
  throw new Refusal('not_found', `No skin here has the texture ${hash}.`);
}

/** Skins hidden in one transaction, so that other requests do not have to wait for all of them. */
const CHUNK = 25;

async function hideAll(context: StoreContext, hash: string): Promise<number> {
  for (let hidden = 0; ; ) {
    const identities = await openIdentitiesOf(context.db, hash);
    if (identities.length === 0) return hidden;
    for (const identity of identities) hidden += await hideAllOf(context, identity);
  }
}

async function hideAllOf({ db, clock }: StoreContext, data: string): Promise<number> {
  for (let hidden = 0; ; ) {
    const some = await inManagement(db, async (tx) => {
      const skins = await openSkinsOf(tx, data, CHUNK);
      for (const { uuid } of skins) {
        const { id, visibility, identity, owner } = await moderatedSkin(tx, uuid); // after the previous change
        await changeSkin(tx, id, { visibility: 'private', hidden_from: visibility });
        await withdrawFromOwner(tx, identity, owner);
        await closeReportsOf(tx, uuid, clock.now());
      }
      return skins.length;
    });
    hidden += some;
    await setImmediate(); // lets SQLite serve others
    if (some < CHUNK) return hidden;
  }
}

/** Accepts the image again; hidden skins stay hidden. @throws Refusal `not_found` */
export async function unblockImage(
  { db, clock }: StoreContext,
  caller: Caller,
  { hash, note }: { readonly hash: string; readonly note: string },
): Promise<void> {
  const operator = requireOperator(caller);
  await inTransaction(db, async (tx) => {
    if (!(await deleteBlockedImage(tx, hash))) throw new Refusal('not_found', 'This picture is not blocked.');
    await logAction(tx, clock, { operator, action: 'unblock_image', subject: hash, note });
  });
}

/** The blocked images, by hash. @throws Refusal for callers other than the operator */
export async function readBlockedImages(
  { db }: { readonly db: Db },
  caller: Caller,
  page: { readonly after?: string | undefined; readonly size: number },
): Promise<BlockedImage[]> {
  requireOperator(caller);
  return (await listBlockedImages(db, page)).map(imageView);
}

/** Which of these images are blocked. @throws Refusal for callers other than the operator */
export async function whichAreBlocked(
  { db }: { readonly db: Db },
  caller: Caller,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  requireOperator(caller);
  return new Set((await findBlockedImages(db, hashes)).map(({ hash }) => hash));
}

/** Which of these images the store has. @throws Refusal for callers other than the operator */
export async function whichHavePictures(
  { db }: { readonly db: Db },
  caller: Caller,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  requireOperator(caller);
  return new Set(await storedTextures(db, hashes));
}

/** A stored picture, blocked or not. @throws Refusal `not_found`; `insufficient_grants` unless the caller is an operator */
export async function readAnyTexture(
  { db }: { readonly db: Db },
  caller: Caller,
  hash: string,
): Promise<TextureRow> {
  requireOperator(caller);
  const texture = await findTexture(db, hash);
  if (!texture) throw new Refusal('not_found', 'Texture not found.');
  return texture;
}

function imageView({ hash, note, blocked_by, blocked_at }: BlockedImageRow): BlockedImage {
  return { hash, note, blockedBy: blocked_by, blockedAt: new Date(blocked_at).toISOString() };
}

/** Reports per hour and caller. */
const MAX_PER_REPORTER = 10;
/** Maximum open reports per skin or set. More tell the operator nothing new. */
const MAX_PER_SUBJECT = 20;
/** Maximum open reports by callers without a key, and as many by users, so that the former cannot shut out the latter. */
export const MAX_OPEN = 10_000;

/**
 * Reports a skin that the caller can see to the operators. A second report of the same skin by the same caller changes
 * nothing, nor does one of a skin that many have reported. @throws Refusal `skin_not_found`, `rate_limit`
 */
export async function reportSkin(
  context: StoreContext,
  caller: Caller,
  report: ReportBody & { readonly uuid: string },
): Promise<void> {
  const { uuid } = await readSkin(context, caller, report.uuid);
  await fileReport(context, caller, { ...report, kind: 'skin', subject: uuid });
}

type ReportBody = z.output<typeof reportBodySchema>;

/** The same for anything that the caller can see. @throws Refusal `rate_limit` */
export async function fileReport(
  { db, clock }: StoreContext,
  caller: Caller,
  { kind, subject, reason, text }: ReportBody & Pick<ReportRow, 'kind' | 'subject'>,
): Promise<void> {
  const { owner: reporter } = caller;
  const now = clock.now();
  const counts = await inManagement(db, async (tx) => {
    const counted = await countReports(tx, {
      ...{ subject, reporter, strangersBegin: ANONYMOUS_OWNERS },
      ...{ since: now - HOUR.span, most: MAX_OPEN },
    });
    if (isWanted(counted, caller)) {
      await insertReport(tx, { kind, subject, reporter, reason, text, created_at: now });
    }
    return counted;
  });
  if (isKnown(counts) || isWanted(counts, caller)) return;
  throw new Refusal('rate_limit', {
    message: 'Too many reports within an hour. Try again later.',
    rateLimit: withWait(await readRateLimit(db, caller, now), HOUR.span, now),
  });
}

function isKnown({ same, ofSubject }: ReportCounts): boolean {
  return same > 0 || ofSubject >= MAX_PER_SUBJECT;
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
  const reports = await listReports(db, page);
  const users = await namesOf(
    db,
    reports.flatMap(({ reporter, owner }) => [reporter, owner ?? '']),
  );
  return reports.map((report) => reportView(report, users));
}

/** The names of users by what owns their skins and jobs. */
export async function namesOf(db: Db, owners: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = owners.map(userIdOf).filter((id) => id !== undefined);
  const users = await findUsersById(db, [...new Set(ids)]);
  return new Map(users.map(({ id, name }) => [ownerOf(id), name]));
}

/** Number of open reports. @throws Refusal for callers other than the operator */
export async function countReportsToDecide({ db }: { readonly db: Db }, caller: Caller): Promise<number> {
  requireOperator(caller);
  return await countOpenReports(db, MAX_OPEN);
}

/** Closes a report without changing what it is about. @throws Refusal `not_found` */
export async function dismissReport(
  { db, clock }: StoreContext,
  caller: Caller,
  { id, note }: { readonly id: number; readonly note: string },
): Promise<Report> {
  const operator = requireOperator(caller);
  return await inManagement(db, async (tx) => {
    const report = await findReport(tx, id);
    if (!report) throw new Refusal('not_found', `No report ${id}.`);
    const users = await namesOf(tx, [report.reporter, report.owner ?? '']);
    if (report.closed_at !== null) return reportView(report, users);
    const now = clock.now();
    await closeReport(tx, id, now);
    await logAction(tx, clock, { operator, action: 'close_report', subject: String(id), note });
    return reportView({ ...report, closed_at: now }, users);
  });
}

/** Undoes a decision on a report: opens what it closed. What it hid stays hidden. @throws Refusal `not_found` */
export async function reopenReport(
  { db, clock }: StoreContext,
  caller: Caller,
  { id }: { readonly id: number },
): Promise<Pick<Report, 'hidden' | 'set' | 'skin'>> {
  const operator = requireOperator(caller);
  return await inManagement(db, async (tx) => {
    const report = await findReport(tx, id);
    if (!report) throw new Refusal('not_found', `No report ${id}.`);
    if (report.closed_at !== null) {
      await reopenReports(tx, report);
      await logAction(tx, clock, { operator, action: 'reopen_report', subject: String(id) });
    }
    return { [report.kind]: report.subject, hidden: report.hidden_from !== null };
  });
}

/** What the owner made private after the report stays private even from operators. */
function reportView(report: ReportWithSubject, users: ReadonlyMap<string, string>): Report {
  const { id, kind, subject, name, visibility, hidden_from, texture_hash, reason, text } = report;
  const [owner, reporter] = [users.get(report.owner ?? ''), users.get(report.reporter)];
  const { created_at, closed_at } = report;
  const isSeen = visibility !== null && (visibility !== 'private' || hidden_from !== null);
  return {
    id: String(id),
    [kind]: subject,
    ...(isSeen && name !== null && { name }),
    ...(isSeen && texture_hash !== null && { texture: texture_hash }),
    ...(isSeen && kind === 'skin' && { tags: [...tagsOf(report)] }),
    ...(visibility !== null && { visibility }),
    hidden: hidden_from !== null,
    ...(owner !== undefined && { owner }),
    reason,
    text,
    ...(reporter !== undefined && { reporter }),
    reports: Number(report.of_subject),
    createdAt: new Date(created_at).toISOString(),
    ...(closed_at !== null && { closedAt: new Date(closed_at).toISOString() }),
  };
}
