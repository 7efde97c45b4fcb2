import type { Command } from 'commander';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import type { CommandOutput } from '../../output/described.ts';
import { settingNamed } from './setting-named.ts';

export const examples: Examples = [
  ['Use the embedded service again', 'skinsmith config unset base-url'],
  ['Use the default visibility again', 'skinsmith config unset visibility'],
];

export const output: readonly CommandOutput[] = [];

export function register(command: Command, runner: Runner, run = runConfigUnset): void {
  command
    .description('Remove a setting from the config file.')
    .argument('<name>', 'name of the setting (see skinsmith help config set)')
    .action(async (name: string) => await runner(async (context) => await run(name, context)));
}

export async function runConfigUnset(name: string, { configFile }: CommandContext): Promise<number> {
  await configFile.unset(settingNamed(name));
  return exitStatus('done');
}
