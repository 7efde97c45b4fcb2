import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { Runner } from '../../context/runner.ts';
import { ACCOUNT_OUTPUT } from './account-rows.ts';
import { changeAccount } from './edit.ts';

export const accountsPause = {
  examples: [
    ['Pause an account', 'skinsmith accounts pause Alex'],
    [
      'Pause an account of another service',
      'skinsmith accounts pause Steve --base-url https://skins.example.org',
    ],
  ],
  output: [ACCOUNT_OUTPUT],
  register(command: Command, runner: Runner, run = changeAccount): void {
    command
      .description(
        'Stop using a game account until it is resumed.\n' +
          'Use this while the owner of the account plays, for example.',
      )
      .argument('<account>', 'name or UUID of the account')
      .action(
        async (named: string) => await runner(async (context) => await run(named, { paused: true }, context)),
      );
  },
} satisfies CommandModule;
