import { MAX_TAGS } from '../../../protocol/skin.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import { changeSkin, type SkinWithData } from '../../store/skins.ts';
import { addLike, removeLike } from '../../store/tags-and-likes.ts';
import { type Caller, requireUser, type UserCaller } from '../callers/caller.ts';
import { logAction, type ModerationContext } from '../moderation.ts';
import { Refusal } from '../refusal.ts';
import { readSkin } from './skins.ts';

/** Counts the caller among those who like a skin. @throws Refusal `unauthorized`, `skin_not_found`, `already_liked` */
export async function likeSkin({ db }: { readonly db: Db }, caller: Caller, uuid: string): Promise<void> {
  const { owner } = requireUser(caller);
  const isNew = await inTransaction(db, async (tx) => {
    const { id } = await readSkin({ db: tx }, caller, uuid);
    return await addLike(tx, id, owner);
  });
  if (!isNew) throw new Refusal('already_liked');
}

/** Takes a like back, if there is one. @throws Refusal `unauthorized`, `skin_not_found` */
export async function unlikeSkin({ db }: { readonly db: Db }, caller: Caller, uuid: string): Promise<void> {
  const { owner } = requireUser(caller);
  await inTransaction(db, async (tx) => {
    const { id } = await readSkin({ db: tx }, caller, uuid);
    await removeLike(tx, id, owner);
  });
}

/** The tags of a skin, in alphabetical order. */
export function tagsOf({ tags }: Pick<SkinWithData, 'tags'>): readonly string[] {
  return tags ? tags.split(',').toSorted() : [];
}

/** A change of one tag. `vote` as on the hosted service, where all users vote on tags. */
interface TagVote {
  readonly uuid: string;
  readonly tag: string;
  readonly vote: 'up' | 'down';
}

/**
 * Adds a tag to a skin of the caller, or takes it away. Operators take tags of any skin away.
 * @throws Refusal `unauthorized`, `skin_not_found`, `insufficient_grants`, `invalid_request` for too many tags
 * @returns whether something has changed
 */
export async function voteOnTag(
  { db, clock }: ModerationContext,
  caller: Caller,
  { uuid, tag, vote }: TagVote,
): Promise<boolean> {
  const user = requireUser(caller);
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    const skin = await readSkin({ db: tx }, caller, uuid);
    requireMayTag(user, skin, vote);
    const before = tagsOf(skin);
    const rest = before.filter((other) => other !== tag);
    const tags = vote === 'up' ? [...rest, tag].toSorted() : rest;
    if (tags.length === before.length) return false;
    if (tags.length > MAX_TAGS) throw new Refusal('invalid_request', `A skin has at most ${MAX_TAGS} tags.`);
    await changeSkin(tx, skin.id, { tags });
    if (skin.owner !== user.owner)
      await logAction(tx, clock, { operator: user, action: 'remove_tag', subject: uuid, note: tag });
    return true;
  });
}

/** @throws Refusal `insufficient_grants` */
function requireMayTag(user: UserCaller, skin: SkinWithData, vote: TagVote['vote']): void {
  if (skin.owner === user.owner || (user.isOperator && vote === 'down')) return;
  throw new Refusal('insufficient_grants', 'Only the owner of a skin can tag it here.');
}
