import type { Rights } from '../../openid/claims.ts';
import type { Db } from '../../store/db.ts';
import type { UserRow } from '../../store/schema/user-tables.ts';
import { changeUser } from '../../store/users.ts';
import { noteRevocation } from '../callers/open-requests.ts';
import { isOwner } from '../users/users.ts';

/**
 * Gives a user what the claims decide. The owner keeps everything: the provider must not be able to lock out the person
 * who runs the service.
 */
export async function applyRights(
  tx: Db,
  user: UserRow,
  { plan = user.plan, isOperator }: Rights,
): Promise<void> {
  if (isOwner(user)) return;
  const role = isOperator === undefined ? user.role : isOperator ? 'operator' : 'user';
  if (plan === user.plan && role === user.role) return;
  await changeUser(tx, user.name, { plan, role });
  if (role !== user.role) await noteRevocation(tx);
}
