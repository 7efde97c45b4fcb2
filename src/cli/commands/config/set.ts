import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';
import { envNameOf, parseSetting } from '../../settings.ts';
import { settingNamed } from './setting-named.ts';

export function register(command: Command, runner: Runner, run = runConfigSet): void {
  command
    .description('Sets a setting in the config file, after checking the value.')
    .argument('<name>', 'name of the setting')
    .argument('<value>', 'its value')
    .action(
      async (name: string, value: string) => await runner(async (deps) => await run(name, value, deps)),
    );
}

export async function runConfigSet(name: string, text: string, deps: Deps): Promise<number> {
  const setting = settingNamed(name);
  const value = parseSetting(setting, { value: text, from: 'the command line' });
  await deps.configFile.set(setting, value);
  const variable = envNameOf(setting);
  if (deps.env[variable]) await deps.talk.warn(`${variable} is set as well and goes before the config file.`);
  return exitStatus('done');
}
