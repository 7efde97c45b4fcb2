import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { BlockedImage, blockBodySchema } from '../../../protocol/moderation.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import {
  closeReportsOf,
  deleteBlockedImage,
  findBlockedImage,
  findBlockedImages,
  insertBlockedImage,
  listBlockedImages,
} from '../../store/moderation.ts';
import type { BlockedImageRow } from '../../store/schema/tables.ts';
import { changeSkin, openIdentitiesOf, openSkinsOf } from '../../store/skins.ts';
import { type Caller, requireOperator } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { withdrawFromOwner } from '../skins/identity.ts';
import { logAction } from './log.ts';
import type { ModerationContext } from './reports.ts';
import { moderatedSkin } from './skins.ts';

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
  context: ModerationContext,
  caller: Caller,
  input: z.output<typeof blockBodySchema>,
): Promise<BlockResult> {
  const operator = requireOperator(caller);
  const { db, clock } = context;
  const { note } = input;
  const hash = 'hash' in input ? input.hash : (await moderatedSkin(db, input.skin)).texture_hash;
  const image = { hash, note, blocked_by: operator.name, blocked_at: clock.now() };
  // First, so that no further skin with the image appears.
  await inTransaction(db, async (tx) => {
    if (!(await insertBlockedImage(tx, image))) return;
    await logAction(tx, clock, { operator, action: 'block_image', subject: hash, note });
  });
  const hidden = await hideAll(context, hash);
  return { image: imageView((await findBlockedImage(db, hash)) ?? image), hidden };
}

/** Skins hidden in one transaction, so that other requests do not have to wait for all of them. */
const CHUNK = 25;

async function hideAll(context: ModerationContext, hash: string): Promise<number> {
  for (let hidden = 0; ; ) {
    const identities = await openIdentitiesOf(context.db, hash);
    if (identities.length === 0) return hidden;
    for (const identity of identities) hidden += await hideAllOf(context, identity);
  }
}

async function hideAllOf({ db, clock }: ModerationContext, data: string): Promise<number> {
  for (let hidden = 0; ; ) {
    const some = await inTransaction(db, async (tx) => {
      await lockManagement(tx);
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
  { db, clock }: ModerationContext,
  caller: Caller,
  { hash, note }: { readonly hash: string; readonly note: string },
): Promise<void> {
  const operator = requireOperator(caller);
  await inTransaction(db, async (tx) => {
    if (!(await deleteBlockedImage(tx, hash))) throw new Refusal('not_found', 'This image is not blocked.');
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

function imageView({ hash, note, blocked_by, blocked_at }: BlockedImageRow): BlockedImage {
  return { hash, note, blockedBy: blocked_by, blockedAt: new Date(blocked_at).toISOString() };
}
