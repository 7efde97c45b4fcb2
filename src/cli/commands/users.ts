import type { Command } from 'commander';
import type { User, UserChange } from '../../index.ts';
import { readPages, withAccount } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { forService } from '../errors/service-hints.ts';
import type { SeenName } from '../history.ts';
import {
  addLimitOptions,
  limitOf,
  nonEmpty,
  type TypedLimit,
  truncationNote,
} from '../options/option-values.ts';
import {
  type Fields,
  fieldColumns,
  printRow,
  printRows,
  type Table,
  tableOutput,
} from '../output/described.ts';
import { ago } from '../text/text.ts';

const FIELDS: Fields<ReturnType<typeof userView>> = {
  uuid: 'UUID of the user',
  name: 'name of the user',
  role: 'operator or user',
  plan: 'plan of the user',
  createdAt: 'when the user was created',
  disabledAt: 'when the user was disabled; absent if enabled',
  keys: 'number of API keys',
};

const TABLE: Table<User> = {
  columns: {
    ...fieldColumns<User>('name', 'plan', 'role', 'keys', 'createdAt', 'disabledAt'),
    uuid: ({ id }) => id,
  },
  fields: FIELDS,
  shown: {
    NAME: 'name',
    PLAN: 'plan',
    ROLE: 'role',
    KEYS: 'keys',
    CREATED: ({ createdAt }, now) => ago(createdAt, now),
    STATE: ({ disabledAt }) => (disabledAt === undefined ? '' : 'disabled'),
  },
  view: userView,
};

/** The user as the API returns it, with the id under the name that all 32-digit ids have. */
export function userView({ id, ...user }: User) {
  return { uuid: id, ...user };
}

/** The word that shells complete. */
function seenUser({ name, plan }: User): SeenName {
  return { value: name, about: plan };
}

function addName(command: Command): Command {
  return command.argument('<name>', 'name of the user', nonEmpty);
}

const LISTING = { what: 'users', usual: 100 };
export const usersList = {
  description: 'List the users of a skinsmith service by name (operators only).',
  examples: [
    ['List users', 'skinsmith users list'],
    ['Print all users as JSON', 'skinsmith users list --all --json'],
  ],
  output: [tableOutput('list', TABLE)],
  declare(command) {
    addLimitOptions(command, LISTING);
  },
  run: runUsersList,
} satisfies CommandModule;

export async function runUsersList(typed: TypedLimit, context: CommandContext): Promise<void> {
  const { entries, isCut } = await withAccount(context, (account, call) =>
    readPages(limitOf(typed, LISTING), async (page) => {
      const { users, next } = await account.users(page, call);
      return { entries: users, next };
    }),
  );
  await context.seenNames.add('users', entries.map(seenUser));
  await printRows(entries, TABLE, context, 'No users.');
  if (isCut) context.messages.say(truncationNote(entries.length, LISTING));
}

export const usersGet = {
  description: 'Print a user of a skinsmith service (operators only).',
  examples: [
    ['Print a user', 'skinsmith users get bob'],
    ['Print only the plan of a user', 'skinsmith users get bob | cut -f2'],
  ],
  output: [tableOutput('object', TABLE)],
  declare: addName,
  run: runUsersGet,
} satisfies CommandModule;

export async function runUsersGet(name: string, context: CommandContext): Promise<void> {
  const user = await withAccount(context, (account, call) => account.user(name, call));
  printRow(user, TABLE, context);
}

export const usersCreate = {
  description: 'Create a user of a skinsmith service (operators only).',
  examples: [
    ['Create a user', 'skinsmith users create bob'],
    ['Create a user on another plan', 'skinsmith users create carol --plan pro'],
  ],
  output: [tableOutput('object', TABLE)],
  declare(command) {
    addName(command).option('--plan <plan>', 'plan of the user (default: free)');
  },
  run: runUsersCreate,
} satisfies CommandModule;

export async function runUsersCreate(
  name: string,
  options: { readonly plan?: string },
  context: CommandContext,
): Promise<void> {
  const user = await withAccount(context, (account, call) => account.createUser({ ...options, name }, call));
  await context.seenNames.add('users', [seenUser(user)]);
  printRow(user, TABLE, context);
  const create = forService(`skinsmith keys create --user ${user.name}`, context);
  await context.messages.note(`Create a key for the user: ${create}`);
}

export const usersEdit = {
  description: 'Change the plan of a user of a skinsmith service (operators only).',
  examples: [
    ['Move a user to another plan', 'skinsmith users edit bob --plan pro'],
    ['Move a user back to the free plan', 'skinsmith users edit carol --plan free'],
  ],
  output: [tableOutput('object', TABLE)],
  declare(command) {
    addName(command).requiredOption('--plan <plan>', 'new plan of the user');
  },
  run: changeUser,
} satisfies CommandModule;

/** Changes a user and prints its new state. */
async function changeUser(name: string, change: UserChange, context: CommandContext): Promise<void> {
  const user = await withAccount(context, (account, call) => account.setUser(name, change, call));
  printRow(user, TABLE, context);
}

export const usersEnable = {
  description: 'Enable a disabled user of a skinsmith service (operators only).',
  examples: [
    ['Enable a user', 'skinsmith users enable bob'],
    ['Enable a user of another service', 'skinsmith users enable carol --base-url https://skins.example.org'],
  ],
  output: [tableOutput('object', TABLE)],
  declare: addName,
  run: async (name: string, context: CommandContext) => await changeUser(name, { disabled: false }, context),
} satisfies CommandModule;

export const usersDisable = {
  description:
    'Disable a user of a skinsmith service (operators only).\n' +
    "The user's keys are refused until the user is enabled again.",
  examples: [
    ['Disable a user', 'skinsmith users disable bob'],
    [
      'Disable a user of another service',
      'skinsmith users disable carol --base-url https://skins.example.org',
    ],
  ],
  output: [tableOutput('object', TABLE)],
  declare: addName,
  run: async (name: string, context: CommandContext) => await changeUser(name, { disabled: true }, context),
} satisfies CommandModule;
