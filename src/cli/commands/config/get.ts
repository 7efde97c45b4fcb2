import type { Command } from 'commander';
import { originOf, parseSetting } from '../../config/settings.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { jsonLine } from '../../text/json.ts';
import { clean } from '../../text/text.ts';
import { settingNamed } from './setting-named.ts';

export const configGet = {
  examples: [
    ['Print the default visibility of new skins', 'skinsmith config get visibility'],
    ['Print a setting as JSON', 'skinsmith config get visibility --json'],
  ],
  output: [{ json: { shape: 'value', about: 'the value of the setting' } }],
  register(command: Command, runner: Runner, run = runConfigGet): void {
    command
      .description('Print the current value of a setting.\n' + 'The exit status is 1 if it is not set.')
      .argument('<name>', 'name of the setting (see skinsmith help config set)')
      .action(async (name: string) => await runner(async (context) => await run(name, context)));
  },
} satisfies CommandModule;

export async function runConfigGet(
  name: string,
  { io, flags, env, configFile }: CommandContext,
): Promise<number> {
  const setting = settingNamed(name);
  const sources = { flags: { 'base-url': flags.baseUrl }, env, file: await configFile.settings() };
  const origin = originOf(setting, sources);
  if (!origin) return exitStatus('failed');
  const value = parseSetting(setting, origin);
  io.out.write(flags.json ? jsonLine(value) : `${clean(String(value))}\n`);
  return exitStatus('done');
}
