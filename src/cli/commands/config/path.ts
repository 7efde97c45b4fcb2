import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { jsonLine } from '../../text/json.ts';

export const configPath = {
  examples: [
    ['Print the path of the config file', 'skinsmith config path'],
    ['Print its folder', 'dirname "$(skinsmith config path)"'],
  ],
  output: [{ json: { shape: 'value', about: 'the path, a string' } }],
  register(command: Command, runner: Runner, run = runConfigPath): void {
    command
      .description('Print the path of the config file, whether it exists or not.')
      .action(async () => await runner(run));
  },
} satisfies CommandModule;

export async function runConfigPath({ io, flags, configFile }: CommandContext): Promise<number> {
  io.out.write(flags.json ? jsonLine(configFile.path) : `${configFile.path}\n`);
  return exitStatus('done');
}
