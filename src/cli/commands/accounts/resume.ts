import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { Runner } from '../../context/runner.ts';
import { ACCOUNT_OUTPUT } from './account-rows.ts';
import { changeAccount } from './edit.ts';

export const accountsResume = {
  examples: [
    ['Resume an account', 'skinsmith accounts resume Alex'],
    [
      'Resume an account of another service',
      'skinsmith accounts resume Steve --base-url https://skins.example.org',
    ],
  ],
  output: [ACCOUNT_OUTPUT],
  register(command: Command, runner: Runner, run = changeAccount): void {
    command
      .description('Resume using a paused game account and clear its failures.')
      .argument('<account>', 'name or UUID of the account')
      .action(
        async (named: string) =>
          await runner(async (context) => await run(named, { paused: false }, context)),
      );
  },
} satisfies CommandModule;
