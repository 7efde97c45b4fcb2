import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { printUser, USER_OUTPUT } from './user-rows.ts';

export const usersGet = {
  examples: [
    ['Print a user', 'skinsmith users get bob'],
    ['Print only the plan of a user', 'skinsmith users get bob | cut -f2'],
  ],
  output: [USER_OUTPUT],
  register(command: Command, runner: Runner, run = runUsersGet): void {
    command
      .description('Print a user of a skinsmith service (operators only).')
      .argument('<name>', 'name of the user', nonEmpty)
      .action(async (name: string) => await runner(async (context) => await run(name, context)));
  },
} satisfies CommandModule;

export async function runUsersGet(name: string, context: CommandContext): Promise<number> {
  printUser(await withAccount(context, (account) => account.user(name, { signal: context.signal })), context);
  return exitStatus('done');
}
