import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { jsonLine } from '../../output/json.ts';
import type { Runner } from '../../runner.ts';

export function register(command: Command, runner: Runner, run = runConfigPath): void {
  command.description('Prints where the config file is (or will be).').action(async () => await runner(run));
}

export async function runConfigPath({ io, flags, configFile }: Deps): Promise<number> {
  io.out.write(flags.json ? jsonLine(configFile.path) : `${configFile.path}\n`);
  return exitStatus('done');
}
