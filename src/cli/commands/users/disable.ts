import type { Command } from 'commander';
import type { Runner } from '../../context/runner.ts';
import type { Examples } from '../../help/examples.ts';
import { nonEmpty } from '../../options/option-values.ts';
import type { CommandOutput } from '../../output/described.ts';
import { changeUser } from './edit.ts';
import { USER_OUTPUT } from './user-rows.ts';

export const examples: Examples = [
  ['Disable a user', 'skinsmith users disable bob'],
  ['Disable a user of another service', 'skinsmith users disable carol --base-url https://skins.example.org'],
];

export const output: readonly CommandOutput[] = [USER_OUTPUT];

export function register(command: Command, runner: Runner, run = changeUser): void {
  command
    .description(
      'Disable a user of a skinsmith service (operators only).\n' +
        "The user's keys are refused until the user is enabled again.",
    )
    .argument('<name>', 'name of the user', nonEmpty)
    .action(
      async (name: string) => await runner(async (context) => await run(name, { disabled: true }, context)),
    );
}
