import type { User } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import { ago, alignedRows, tabRows } from '../../terminal/text.ts';
import { jsonDocument } from '../../text/json.ts';

const HEADER = ['NAME', 'PLAN', 'ROLE', 'KEYS', 'CREATED', 'STATE'];

/** Prints users as rows, for people or for programs. */
export function userRows(
  users: readonly User[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return tabRows(users.map(cells));
  const rows = users.map((user) => [
    user.name,
    user.plan,
    user.role,
    String(user.keys),
    ago(user.createdAt, clock.now()),
    user.disabledAt === undefined ? '' : 'disabled',
  ]);
  return alignedRows(HEADER, rows, io.out.columns);
}

/** Prints one user in the form that all user commands share. */
export function printUser(user: User, context: CommandContext): void {
  context.io.out.write(context.flags.json ? jsonDocument(userView(user)) : userRows([user], context));
}

/** The user as the API returns it, with the id under the name that all 32-digit ids have. */
export function userView(user: User) {
  return { ...user, uuid: user.id };
}

/** The word that shells complete. */
export function seenUser({ name, plan }: User): SeenName {
  return { value: name, about: plan };
}

function cells({ name, plan, role, keys, createdAt, disabledAt, id }: User): (string | undefined)[] {
  return [name, plan, role, String(keys), createdAt, disabledAt, id];
}
