import type { Command } from 'commander';
import type { Invitation, User, UserChange } from '../../protocol/user.ts';
import type { CommandModule } from '../context/context.ts';
import { forService } from '../errors/service-hints.ts';
import { eachOf, listOf, oneOf, type Request } from '../nouns.ts';
import { nonEmpty, nonEmptyWords } from '../options/option-values.ts';
import { doneViews, fieldColumns, type Table } from '../output/described.ts';
import { ago } from '../text/text.ts';

const TABLE: Table<User, ReturnType<typeof userView>> = {
  columns: {
    ...fieldColumns<User>('name', 'plan', 'role', 'keys', 'createdAt', 'disabledAt'),
    uuid: ({ id }) => id,
    ...fieldColumns<User>('lastUsedAt', 'invitedUntil'),
  },
  fields: {
    uuid: 'UUID of the user',
    name: 'name of the user',
    role: 'operator or user',
    plan: 'plan of the user',
    createdAt: 'when the user was created',
    disabledAt: 'when the user was disabled; absent if enabled',
    keys: 'number of API keys',
    lastUsedAt: 'when the user last used a key or looked at a page; absent: never',
    invitedUntil: 'when the invitation of the user expires; absent: there is none',
  },
  shown: {
    NAME: 'name',
    PLAN: 'plan',
    ROLE: 'role',
    KEYS: 'keys',
    CREATED: ({ createdAt }, now) => ago(createdAt, now),
    'LAST USED': ({ lastUsedAt }, now) => ago(lastUsedAt, now) || 'never',
    STATE: ({ disabledAt, invitedUntil }) =>
      disabledAt !== undefined ? 'disabled' : invitedUntil !== undefined ? 'invited' : '',
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
  examples: {
    'List users': 'skinsmith users list',
    'Print all users as JSON': 'skinsmith users list --all --json',
  },
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
  examples: {
    'Print a user': 'skinsmith users get bob',
    'Print only the plan of a user': 'skinsmith users get bob | cut -f2',
  },
  declare: addName,
  ...oneOf(TABLE, (_, name: string) => (account, call) => account.user(name, call)),
} satisfies CommandModule;

export const usersCreate = {
  description: 'Create a user of a skinsmith service (operators only).',
  examples: {
    'Create a user': 'skinsmith users create bob',
    'Create a user on another plan': 'skinsmith users create carol --plan pro',
  },
  declare: (command) => addName(command).option('--plan <plan>', 'plan of the user (default: free)'),
  ...oneOf(
    TABLE,
    (_, name: string, options: { readonly plan?: string }) => (account, call) =>
      account.createUser({ ...options, name }, call),
    {
      seen: SEEN,
      note({ name }, context) {
        const create = forService(`skinsmith keys create --user ${name}`, context);
        const invite = forService(`skinsmith users invite ${name}`, context);
        return `Create a key for the user: ${create}\nOr send the user a link to the pages: ${invite}`;
      },
    },
  ),
} satisfies CommandModule;

function change(name: string, wanted: UserChange): Request<User> {
  return (account, call) => account.setUser(name, wanted, call);
}

export const usersEdit = {
  description: 'Change the plan of a user of a skinsmith service (operators only).',
  examples: {
    'Move a user to another plan': 'skinsmith users edit bob --plan pro',
    'Move a user back to the free plan': 'skinsmith users edit carol --plan free',
  },
  declare: (command) => addName(command).requiredOption('--plan <plan>', 'new plan of the user'),
  ...oneOf(TABLE, (_, name: string, typed: { readonly plan: string }) => change(name, typed)),
} satisfies CommandModule;

export const usersEnable = {
  description: 'Enable a disabled user of a skinsmith service (operators only).',
  examples: {
    'Enable a user': 'skinsmith users enable bob',
    'Enable a user of another service': 'skinsmith users enable carol --base-url https://skins.example.org',
  },
  declare: addName,
  ...oneOf(TABLE, (_, name: string) => change(name, { disabled: false })),
} satisfies CommandModule;

export const usersDisable = {
  description:
    'Disable a user of a skinsmith service (operators only).\n' +
    "The user's keys are refused until the user is enabled again.",
  examples: {
    'Disable a user': 'skinsmith users disable bob',
    'Disable a user of another service': 'skinsmith users disable carol --base-url https://skins.example.org',
  },
  declare: addName,
  ...oneOf(TABLE, (_, name: string) => change(name, { disabled: true })),
} satisfies CommandModule;

interface InvitationView extends Invitation {
  readonly name: string;
}

const INVITATION: Table<InvitationView> = {
  columns: fieldColumns<InvitationView>('link', 'name', 'expiresAt'),
  fields: {
    link: 'address that signs the user in once, shown only this once',
    name: 'name of the user',
    expiresAt: 'when the link expires',
  },
  shown: { LINK: 'link' },
  view: ({ link, name, expiresAt }) => ({ link, name, expiresAt }),
};

export const usersInvite = {
  description:
    'Print a link that signs a user in to the pages of a service once, within seven days (operators only).\n' +
    'It takes the place of an earlier one. users list shows who is invited.',
  examples: {
    'Invite a user': 'skinsmith users invite bob',
    'Create a user and print only the link':
      'skinsmith users create dora && skinsmith users invite dora | cut -f1',
  },
  declare: addName,
  ...oneOf(
    INVITATION,
    (_, name: string) => async (account, call) => ({ ...(await account.inviteUser(name, call)), name }),
    {
      note({ name }, context) {
        const revoke = forService(`skinsmith users uninvite ${name}`, context);
        return `Send the link to ${name}. It works once, for seven days. To revoke it: ${revoke}`;
      },
    },
  ),
} satisfies CommandModule;

export const usersUninvite = {
  description: 'Revoke the invitations of users of a skinsmith service (operators only).',
  examples: {
    'Revoke an invitation': 'skinsmith users uninvite bob',
    'Revoke two invitations': 'skinsmith users uninvite bob carol',
  },
  ...eachOf(doneViews('name', 'name of the user', 'uninvited'), {
    declare: (command) => command.argument('<name...>', 'names of users', nonEmptyWords),
    async act(name, { account, call }) {
      await account.uninviteUser(name, call);
      return [name, `${name} has no invitation any more.`];
    },
  }),
} satisfies CommandModule;
