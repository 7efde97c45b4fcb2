import type { Command } from 'commander';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import type { CommandOutput } from '../../output/described.ts';
import { jsonLine } from '../../text/json.ts';

export const examples: Examples = [
  ['Print the path of the config file', 'skinsmith config path'],
  ['Print its folder', 'dirname "$(skinsmith config path)"'],
];

export const output: readonly CommandOutput[] = [{ json: { shape: 'value', about: 'the path, a string' } }];

export function register(command: Command, runner: Runner, run = runConfigPath): void {
  command
    .description('Print the path of the config file, whether it exists or not.')
    .action(async () => await runner(run));
}

export async function runConfigPath({ io, flags, configFile }: CommandContext): Promise<number> {
  io.out.write(flags.json ? jsonLine(configFile.path) : `${configFile.path}\n`);
  return exitStatus('done');
}
