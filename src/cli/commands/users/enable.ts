import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { Runner } from '../../context/runner.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { changeUser } from './edit.ts';
import { USER_OUTPUT } from './user-rows.ts';

export const usersEnable = {
  examples: [
    ['Enable a user', 'skinsmith users enable bob'],
    ['Enable a user of another service', 'skinsmith users enable carol --base-url https://skins.example.org'],
  ],
  output: [USER_OUTPUT],
  register(command: Command, runner: Runner, run = changeUser): void {
    command
      .description('Enable a disabled user of a skinsmith service (operators only).')
      .argument('<name>', 'name of the user', nonEmpty)
      .action(
        async (name: string) =>
          await runner(async (context) => await run(name, { disabled: false }, context)),
      );
  },
} satisfies CommandModule;
