import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { jsonLine } from '../../output/json.ts';
import { clean } from '../../output/text.ts';
import type { Runner } from '../../runner.ts';
import { originOf, parseSetting } from '../../settings.ts';
import { settingNamed } from './setting-named.ts';

export function register(command: Command, runner: Runner, run = runConfigGet): void {
  command
    .description('Prints one setting as it holds now. Exit status 1 when it is not set.')
    .argument('<name>', 'name of the setting')
    .action(async (name: string) => await runner(async (deps) => await run(name, deps)));
}

export async function runConfigGet(name: string, { io, flags, env, configFile }: Deps): Promise<number> {
  const setting = settingNamed(name);
  const sources = { flags: { 'base-url': flags.baseUrl }, env, file: await configFile.settings() };
  const origin = originOf(setting, sources);
  if (!origin) return exitStatus('failed');
  const value = parseSetting(setting, origin);
  io.out.write(flags.json ? jsonLine(value) : `${clean(String(value))}\n`);
  return exitStatus('done');
}
