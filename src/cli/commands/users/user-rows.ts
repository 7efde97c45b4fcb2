import type { User } from '../../../index.ts';
import type { Deps } from '../../deps.ts';
import { jsonDocument } from '../../output/json.ts';
import { ago, alignedRows, tabRows } from '../../output/text.ts';

const HEADER = ['NAME', 'PLAN', 'ROLE', 'KEYS', 'CREATED', 'STATE'];

/** Users as rows, for people or for programs. */
export function userRows(users: readonly User[], { io, clock }: Pick<Deps, 'io' | 'clock'>): string {
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

/** One user, as every command about one prints it. */
export function printUser(user: User, deps: Deps): void {
  deps.io.out.write(deps.flags.json ? jsonDocument(user) : userRows([user], deps));
}

function cells({ name, plan, role, keys, createdAt, disabledAt, id }: User): (string | undefined)[] {
  return [name, plan, role, String(keys), createdAt, disabledAt, id];
}
