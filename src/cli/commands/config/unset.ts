import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { settingNamed } from './setting-named.ts';

export const configUnset = {
  examples: [
    ['Use the embedded service again', 'skinsmith config unset base-url'],
    ['Use the default visibility again', 'skinsmith config unset visibility'],
  ],
  output: [],
  register(command: Command, runner: Runner, run = runConfigUnset): void {
    command
      .description('Remove a setting from the config file.')
      .argument('<name>', 'name of the setting (see skinsmith help config set)')
      .action(async (name: string) => await runner(async (context) => await run(name, context)));
  },
} satisfies CommandModule;

export async function runConfigUnset(name: string, { configFile }: CommandContext): Promise<number> {
  await configFile.unset(settingNamed(name));
  return exitStatus('done');
}
