import type { Invitation } from '../../../protocol/user.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import { deleteLinksOf, findUserByName } from '../../store/sessions.ts';
import { type Caller, requireOperator, type StoreContext } from '../callers.ts';
import { logAction } from '../moderation.ts';
import { Refusal } from '../refusal.ts';
import { makeLink } from '../sessions.ts';
import { isOwner, userNotFound } from './users.ts';

/** Milliseconds for which an invitation can be used. */
const INVITATION_AGE = 7 * 24 * 3_600_000;

/**
 * Makes a link that signs a user in once, in place of the one before. Its secret is not stored.
 * @throws Refusal `user_not_found`; `invalid_request` for the owner, and for who is disabled
 */
export async function inviteUser(
  context: StoreContext & { readonly publicUrl: () => string },
  caller: Caller,
  name: string,
): Promise<Invitation> {
  const { clock } = context;
  return await changeInvitation(context, caller, { name, action: 'invite_user' }, async (tx, user_id) => {
    const secret = await makeLink({ clock, db: tx }, { user_id, key_id: null }, INVITATION_AGE);
    return {
      link: `${context.publicUrl()}/ui/sign-in/link?secret=${secret}`,
      expiresAt: new Date(clock.now() + INVITATION_AGE).toISOString(),
    };
  });
}

/** @throws Refusal `user_not_found` */
export async function revokeInvitation(context: StoreContext, caller: Caller, name: string): Promise<void> {
  await changeInvitation(context, caller, { name, action: 'revoke_invitation' }, async () => undefined);
}

async function changeInvitation<T>(
  { db, clock }: StoreContext,
  caller: Caller,
  { name, action }: { readonly name: string; readonly action: 'invite_user' | 'revoke_invitation' },
  make: (tx: Db, userId: string) => Promise<T>,
): Promise<T> {
  const operator = requireOperator(caller);
  return await inManagement(db, async (tx) => {
    const user = await findUserByName(tx, name);
    if (!user) throw userNotFound(name);
    if (action === 'invite_user') {
      if (isOwner(user)) throw new Refusal('invalid_request', 'The owner signs in with skinsmith open.');
      if (user.disabled_at !== null) throw new Refusal('invalid_request', `User ${name} is disabled.`);
    }
    await deleteLinksOf(tx, user.id);
    await logAction(tx, clock, { operator, action, subject: name });
    return await make(tx, user.id);
  });
}
