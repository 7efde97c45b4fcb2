import type { ModeratedSkin } from '../../../protocol/moderation.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import { closeReportsOf } from '../../store/moderation.ts';
import { changeSkin, deleteSkinRow, findSkin, type SkinWithData } from '../../store/skins.ts';
import { type Caller, requireOperator } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { requireUnblocked } from '../skins/changes.ts';
import { shareData, withdrawData } from '../skins/identity.ts';
import { logAction } from './log.ts';
import type { ModerationContext } from './reports.ts';

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
  { db, clock }: ModerationContext,
  caller: Caller,
  { uuid, hidden, note }: SkinDecision & { readonly hidden: boolean },
): Promise<ModeratedSkin> {
  const operator = requireOperator(caller);
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    const skin = await moderatedSkin(tx, uuid);
    const isHidden = skin.hidden_from !== null;
    if (hidden) await closeReportsOf(tx, uuid, clock.now());
    if (hidden !== isHidden) {
      if (hidden) await hide(tx, skin);
      else await showAgain(tx, skin);
      await logAction(tx, clock, {
        operator,
        action: hidden ? 'hide_skin' : 'show_skin',
        subject: uuid,
        note,
      });
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

/** Deletes any user's skin, and closes its reports. @throws Refusal `skin_not_found` */
export async function deleteAnySkin(
  { db, clock }: ModerationContext,
  caller: Caller,
  { uuid, note }: SkinDecision,
): Promise<void> {
  const operator = requireOperator(caller);
  await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    const { id, identity } = await moderatedSkin(tx, uuid);
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
