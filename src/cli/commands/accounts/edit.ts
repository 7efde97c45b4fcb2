import type { Command } from 'commander';
import type { GameAccountChange } from '../../../index.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import { ACCOUNT_OUTPUT, printAccount } from './account-rows.ts';
import { withGameAccount } from './find-account.ts';

export const accountsEdit = {
  examples: [
    ['Give an account its own skin back whenever it is idle', 'skinsmith accounts edit Alex --restore'],
    ['Hide the cape of an account before making skins', 'skinsmith accounts edit Alex --no-capes'],
  ],
  output: [ACCOUNT_OUTPUT],
  register(command: Command, runner: Runner, run = changeAccount): void {
    command
      .description('Edit the settings of a game account.')
      .argument('<account>', 'name or UUID of the account')
      .option('--share', 'make skins for all users with the account')
      .option('--no-share', 'make skins only for the user who linked the account')
      .option('--restore', "restore the account's own skin after ten idle minutes and when the service stops")
      .option('--no-restore', 'leave the last skin on the account')
      .option('--capes', 'allow the cape of the account in results')
      .option('--no-capes', 'hide the cape of the account before making skins')
      .action(
        async (named: string, typed: GameAccountChange) =>
          await runner(async (context) => await run(named, typed, context)),
      );
  },
} satisfies CommandModule;

/** Changes an account and prints its new state. */
export async function changeAccount(
  named: string,
  change: GameAccountChange,
  context: CommandContext,
): Promise<number> {
  if (Object.keys(change).length === 0) {
    throw usageError('nothing_to_change', 'Nothing to change.', 'See: skinsmith accounts edit --help');
  }
  const account = await withGameAccount(named, context, (games, { uuid }) =>
    games.change(uuid, change, { signal: context.signal }),
  );
  printAccount(account, context);
  return exitStatus('done');
}
