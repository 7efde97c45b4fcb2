import type { Command } from 'commander';
import type { User, UserChange } from '../../protocol/user.ts';
import { withAccount } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { forService } from '../errors/service-hints.ts';
import { listOf, oneOf } from '../nouns.ts';
import { nonEmpty } from '../options/option-values.ts';
import { type Fields, fieldColumns, type Table } from '../output/described.ts';
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

const SEEN = ['users', ({ name, plan }: User) => ({ value: name, about: plan })] as const;

function addName(command: Command): Command {
  return command.argument('<name>', 'name of the user', nonEmpty);
}

export const usersList = {
  description: 'List the users of a skinsmith service by name (operators only).',
  examples: [
    ['List users', 'skinsmith users list'],
    ['Print all users as JSON', 'skinsmith users list --all --json'],
  ],
  ...listOf(TABLE, {
    what: 'users',
    usual: 100,
    seen: SEEN,
    async read({ account, call }, page) {
      const { users, next } = await account.users(page, call);
      return { entries: users, next };
    },
  }),
} satisfies CommandModule;

export const usersGet = {
  description: 'Print a user of a skinsmith service (operators only).',
  examples: [
    ['Print a user', 'skinsmith users get bob'],
    ['Print only the plan of a user', 'skinsmith users get bob | cut -f2'],
  ],
  declare: addName,
  ...oneOf(TABLE, (context, name: string) =>
    withAccount(context, (account, call) => account.user(name, call)),
  ),
} satisfies CommandModule;

export const usersCreate = {
  description: 'Create a user of a skinsmith service (operators only).',
  examples: [
    ['Create a user', 'skinsmith users create bob'],
    ['Create a user on another plan', 'skinsmith users create carol --plan pro'],
  ],
  declare(command) {
    addName(command).option('--plan <plan>', 'plan of the user (default: free)');
  },
  ...oneOf(
    TABLE,
    (context, name: string, options: { readonly plan?: string }) =>
      withAccount(context, (account, call) => account.createUser({ ...options, name }, call)),
    {
      seen: SEEN,
      note({ name }, context) {
        const create = forService(`skinsmith keys create --user ${name}`, context);
        return `Create a key for the user: ${create}`;
      },
    },
  ),
} satisfies CommandModule;

function change(context: CommandContext, name: string, wanted: UserChange): Promise<User> {
  return withAccount(context, (account, call) => account.setUser(name, wanted, call));
}

export const usersEdit = {
  description: 'Change the plan of a user of a skinsmith service (operators only).',
  examples: [
    ['Move a user to another plan', 'skinsmith users edit bob --plan pro'],
    ['Move a user back to the free plan', 'skinsmith users edit carol --plan free'],
  ],
  declare(command) {
    addName(command).requiredOption('--plan <plan>', 'new plan of the user');
  },
  ...oneOf(TABLE, change),
} satisfies CommandModule;

export const usersEnable = {
  description: 'Enable a disabled user of a skinsmith service (operators only).',
  examples: [
    ['Enable a user', 'skinsmith users enable bob'],
    ['Enable a user of another service', 'skinsmith users enable carol --base-url https://skins.example.org'],
  ],
  declare: addName,
  ...oneOf(TABLE, (context, name: string) => change(context, name, { disabled: false })),
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
  declare: addName,
  ...oneOf(TABLE, (context, name: string) => change(context, name, { disabled: true })),
} satisfies CommandModule;
