import type { User } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import {
  type Columns,
  type CommandOutput,
  columnRows,
  deprecated,
  type Fields,
} from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';

const COLUMNS = {
  name: ({ name }) => name,
  plan: ({ plan }) => plan,
  role: ({ role }) => role,
  keys: ({ keys }) => String(keys),
  createdAt: ({ createdAt }) => createdAt,
  disabledAt: ({ disabledAt }) => disabledAt,
  uuid: ({ id }) => id,
} satisfies Columns<User>;

const FIELDS: Fields<ReturnType<typeof userView>> = {
  uuid: 'UUID of the user',
  id: deprecated('uuid'),
  name: 'name of the user',
  role: 'operator or user',
  plan: 'plan of the user',
  createdAt: 'when the user was created',
  disabledAt: 'when the user was disabled; absent: enabled',
  keys: 'number of API keys',
};

export const USER_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'object', fields: FIELDS } };
export const USER_LIST_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'list', fields: FIELDS } };

const HEADER = ['NAME', 'PLAN', 'ROLE', 'KEYS', 'CREATED', 'STATE'];

/** Prints users as rows, for people or for programs. */
export function userRows(
  users: readonly User[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return columnRows(COLUMNS, users);
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
