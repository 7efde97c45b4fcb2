import type { AccountClient } from '../../client/account-client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { Identity } from '../../protocol/account.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { forService } from '../errors/service-hints.ts';
import type { SeenName } from '../history.ts';
import { eachOf, listOf } from '../nouns.ts';
import { doneViews, fieldColumns, type Table } from '../output/described.ts';
import { ago } from '../text/text.ts';

const TABLE: Table<Identity, Identity> = {
  columns: fieldColumns<Identity>('id', 'subject', 'issuer', 'createdAt', {
    isLastWay: ({ isLastWay }) => (isLastWay ? 'last-way' : ''),
  }),
  fields: {
    id: 'ID of the identity',
    subject: "the user's ID at the provider",
    issuer: 'address of the provider',
    createdAt: 'when it was linked to the user',
    isLastWay: 'whether the user has no other way to sign in',
  },
  shown: {
    ID: 'id',
    SUBJECT: 'subject',
    PROVIDER: 'issuer',
    SINCE: ({ createdAt }, now) => ago(createdAt, now),
    '': ({ isLastWay }) => (isLastWay ? 'the only way to sign in' : ''),
  },
};

/** The word that shells complete. */
function seenIdentity({ id, subject, issuer }: Identity): SeenName {
  return { value: id, about: `${subject} at ${issuer}` };
}

export const identitiesList = {
  description: 'List the OpenID Connect accounts with which a user can sign in to a skinsmith service.',
  examples: {
    'List the provider accounts you can sign in with': 'skinsmith identities list',
    "List another user's identities": 'skinsmith identities list --user alice',
  },
  ...listOf(TABLE, {
    what: 'identities',
    seen: ['identities', seenIdentity],
    declare: (command) =>
      command.option('--user <user>', 'list the identities of this user (operators only; default: yourself)'),
    read: ({ account, call }, _, { user }: { readonly user?: string }) => account.identities(user, call),
  }),
} satisfies CommandModule;

interface TypedDeletion {
  readonly user?: string;
  readonly last?: boolean;
}

export const identitiesDelete = {
  description:
    'Disconnect accounts at an OpenID Connect provider from a user.\n' +
    "Ends the user's sessions that were not started with an API key. To delete the user's " +
    'only way to sign in, add --last.',
  examples: {
    'Stop an account at a provider from signing you in': 'skinsmith identities delete IDENTITY',
    'Delete all identities of a user':
      'skinsmith identities list --user alice | cut -f1 | xargs -r skinsmith identities delete --user alice --last',
  },
  ...eachOf<Identity, TypedDeletion>(doneViews('id', 'ID of the identity', 'deleted'), {
    declare: (command) =>
      command
        .argument('<id...>', 'IDs of identities, as printed by identities list')
        .option('--user <user>', 'delete identities of this user (operators only; default: yourself)')
        .option('--last', 'delete an identity even if it is the only way to sign in'),
    async find(ids, { account, call, context }, { user }) {
      const all = await account.identities(user, call);
      return ids.map((id) => identityIn(all, id, context));
    },
    async act({ id, subject }, { account, context }, typed) {
      await deleteOne(account, id, typed, context);
      await context.seenNames.remove('identities', id);
      return [id, `Deleted identity ${id}: ${subject} no longer signs in.`];
    },
  }),
} satisfies CommandModule;

function identityIn(all: readonly Identity[], id: string, context: CommandContext): Identity {
  const found = all.find((one) => one.id === id);
  if (found) return found;
  throw new CliError('identity_not_found', `No identity ${id}.`, {
    hint: `List the identities: ${forService('skinsmith identities list', context)}`,
  });
}

/** @throws CliError `only_way_in` when the user could not sign in any more */
async function deleteOne(
  account: AccountClient,
  id: string,
  { user, last: mayBeLast = false }: TypedDeletion,
  context: CommandContext,
): Promise<void> {
  try {
    await account.unlinkIdentity(id, { user, mayBeLast }, { signal: context.signal });
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'invalid_request') throw cause;
    const create = `skinsmith keys create${user === undefined ? '' : ` --user ${user}`}`;
    throw new CliError('only_way_in', `Identity ${id} is the only way for ${user ?? 'you'} to sign in.`, {
      hint:
        `Create an API key first: ${forService(create, context)}. ` +
        'To delete the identity all the same: --last',
      cause,
    });
  }
}
