import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { forService, namingOf } from '../../errors/service-hints.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { printUser, seenUser, USER_OUTPUT } from './user-rows.ts';

export interface UsersCreateOptions {
  readonly name: string;
  readonly plan?: string;
}

export const usersCreate = {
  examples: [
    ['Create a user', 'skinsmith users create bob'],
    ['Create a user on another plan', 'skinsmith users create carol --plan pro'],
  ],
  output: [USER_OUTPUT],
  register(command: Command, runner: Runner, run = runUsersCreate): void {
    command
      .description('Create a user of a skinsmith service (operators only).')
      .argument('<name>', 'name of the user', nonEmpty)
      .option('--plan <plan>', 'plan of the user (default: free)')
      .action(
        async (name: string, typed: { plan?: string }) =>
          await runner(async (context) => await run({ ...typed, name }, context)),
      );
  },
} satisfies CommandModule;

export async function runUsersCreate(options: UsersCreateOptions, context: CommandContext): Promise<number> {
  const user = await withAccount(context, (account) =>
    account.createUser(options, { signal: context.signal }),
  );
  await context.seenNames.add('users', [seenUser(user)]);
  printUser(user, context);
  const create = forService(`skinsmith keys create --user ${user.name}`, namingOf(context));
  await context.messages.note(`Create a key for the user: ${create}`);
  return exitStatus('done');
}
