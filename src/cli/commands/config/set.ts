import type { Command } from 'commander';
import { SETTING_MEANINGS } from '../../config/setting-meanings.ts';
import { envNameOf, parseSetting } from '../../config/settings.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { setTerms } from '../../help/terms.ts';
import { settingNamed } from './setting-named.ts';

export const configSet = {
  examples: [
    ['Use a hosted service by default', 'skinsmith config set base-url https://api.mineskin.org'],
    ['Make skins unlisted by default', 'skinsmith config set visibility unlisted'],
  ],
  output: [],
  register(command: Command, runner: Runner, run = runConfigSet): void {
    setTerms(command, { heading: 'Settings', rows: Object.entries(SETTING_MEANINGS) });
    command
      .description(
        'Change a setting in the config file.\n' +
          'The value is checked first. Options and environment variables (SKINSMITH_VISIBILITY for visibility ' +
          'and so on) take precedence over the config file.',
      )
      .argument('<name>', 'name of the setting')
      .argument('<value>', 'new value')
      .action(
        async (name: string, value: string) =>
          await runner(async (context) => await run(name, value, context)),
      );
  },
} satisfies CommandModule;

export async function runConfigSet(name: string, text: string, context: CommandContext): Promise<number> {
  const setting = settingNamed(name);
  const value = parseSetting(setting, { value: text, from: 'the command line' });
  await context.configFile.set(setting, value);
  const variable = envNameOf(setting);
  if (context.env[variable])
    await context.messages.warn(`${variable} is set too, and takes precedence over the config file.`);
  return exitStatus('done');
}
