import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { Runner } from '../../context/runner.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { changeUser } from './edit.ts';
import { USER_OUTPUT } from './user-rows.ts';

export const usersDisable = {
  examples: [
    ['Disable a user', 'skinsmith users disable bob'],
    [
      'Disable a user of another service',
      'skinsmith users disable carol --base-url https://skins.example.org',
    ],
  ],
  output: [USER_OUTPUT],
  register(command: Command, runner: Runner, run = changeUser): void {
    command
      .description(
        'Disable a user of a skinsmith service (operators only).\n' +
          "The user's keys are refused until the user is enabled again.",
      )
      .argument('<name>', 'name of the user', nonEmpty)
      .action(
        async (name: string) => await runner(async (context) => await run(name, { disabled: true }, context)),
      );
  },
} satisfies CommandModule;
