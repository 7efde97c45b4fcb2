import type { Command } from 'commander';
import type { UserChange } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { printUser, USER_OUTPUT } from './user-rows.ts';

export const usersEdit = {
  examples: [
    ['Move a user to another plan', 'skinsmith users edit bob --plan pro'],
    ['Move a user back to the free plan', 'skinsmith users edit carol --plan free'],
  ],
  output: [USER_OUTPUT],
  register(command: Command, runner: Runner, run = changeUser): void {
    command
      .description('Change the plan of a user of a skinsmith service (operators only).')
      .argument('<name>', 'name of the user', nonEmpty)
      .requiredOption('--plan <plan>', 'new plan of the user')
      .action(
        async (name: string, { plan }: { plan: string }) =>
          await runner(async (context) => await run(name, { plan }, context)),
      );
  },
} satisfies CommandModule;

/** Changes a user and prints its new state. */
export async function changeUser(name: string, change: UserChange, context: CommandContext): Promise<number> {
  const user = await withAccount(context, (account) =>
    account.setUser(name, change, { signal: context.signal }),
  );
  printUser(user, context);
  return exitStatus('done');
}
