import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';
import { settingNamed } from './setting-named.ts';

export function register(command: Command, runner: Runner, run = runConfigUnset): void {
  command
    .description('Takes a setting out of the config file.')
    .argument('<name>', 'name of the setting')
    .action(async (name: string) => await runner(async (deps) => await run(name, deps)));
}

export async function runConfigUnset(name: string, { configFile }: Deps): Promise<number> {
  await configFile.unset(settingNamed(name));
  return exitStatus('done');
}
