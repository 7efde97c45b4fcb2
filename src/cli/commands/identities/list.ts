import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { jsonDocument } from '../../text/json.ts';
import { IDENTITY_LIST_OUTPUT, identityRows, seenIdentity } from './identity-rows.ts';

export interface IdentitiesListOptions {
  readonly user?: string;
}

export const identitiesList = {
  examples: [
    ['List the provider accounts you can sign in with', 'skinsmith identities list'],
    ['List those of a user', 'skinsmith identities list --user alice'],
  ],
  output: [IDENTITY_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runIdentitiesList): void {
    command
      .description('List the OpenID Connect accounts with which a user can sign in to a skinsmith service.')
      .option('--user <user>', 'list the identities of this user (operators only; default: yourself)')
      .action(
        async (typed: IdentitiesListOptions) => await runner(async (context) => await run(typed, context)),
      );
  },
} satisfies CommandModule;

export async function runIdentitiesList(
  { user }: IdentitiesListOptions,
  context: CommandContext,
): Promise<number> {
  const { signal, seenNames, flags, io, messages } = context;
  const identities = await withAccount(context, (account) => account.identities(user, { signal }));
  await seenNames.add('identities', identities.map(seenIdentity));
  if (flags.json) io.out.write(jsonDocument(identities));
  else if (identities.length === 0) await messages.note('No identities.');
  else io.out.write(identityRows(identities, context));
  return exitStatus('done');
}
