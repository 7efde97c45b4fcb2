import {
  envNameOf,
  isSettingName,
  originOf,
  parseSetting,
  SETTING_MEANINGS,
  SETTING_NAMES,
  type SettingName,
  shownValue,
} from '../config/settings.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import { setTerms } from '../help/help-page.ts';
import { fieldColumns, printRows, type Table, tableOutput } from '../output/described.ts';
import { clean, jsonLine, masked } from '../text/text.ts';

/** @throws CliError naming the valid settings; for `api-key` it says how keys are stored */
function settingNamed(name: string): SettingName {
  if (isSettingName(name)) return name;
  if (name === 'api-key') {
    const hint = 'To store one: skinsmith login. To remove it: skinsmith logout. In CI: SKINSMITH_API_KEY.';
    throw usageError(
      'api_key_elsewhere',
      'API keys are stored per service and never given on a command line.',
      hint,
    );
  }
  throw usageError('unknown_setting', `Unknown setting ${name}.`, `Settings: ${SETTING_NAMES.join(', ')}`);
}

interface SettingView {
  readonly name: string;
  readonly value: unknown;
  readonly from: string;
}

const TABLE: Table<SettingView, SettingView> = {
  columns: fieldColumns<SettingView>('name', 'value', 'from'),
  fields: {
    name: 'name of the setting',
    value: 'its value; for API keys, only the last four characters',
    from: 'where it comes from: an option, an environment variable or the config file',
  },
  shown: { SETTING: 'name', VALUE: 'value', FROM: 'from' },
};

export const configList = {
  description:
    'List settings and where each comes from.\n' + 'API keys are shown only by their last four characters.',
  examples: {
    'List settings': 'skinsmith config list',
    'Print them as JSON': 'skinsmith config list --json',
  },
  output: [tableOutput('list', TABLE)],
  run: runConfigList,
} satisfies CommandModule;

async function runConfigList(context: CommandContext): Promise<void> {
  const { flags, env, configFile } = context;
  const file = await (await configFile()).settings();
  const sources = { flags: { 'base-url': flags.baseUrl }, env, file };
  const set: SettingView[] = SETTING_NAMES.flatMap((name) => {
    const origin = originOf(name, sources);
    return origin ? [{ name, ...origin, value: shownValue(name, origin) }] : [];
  });
  const views = [...set, ...(await keyViews(context))];
  await printRows(views, TABLE, context, 'Nothing is set; commands use the embedded service.');
}

async function keyViews({ env, configFile }: CommandContext): Promise<SettingView[]> {
  const fromEnv = env['SKINSMITH_API_KEY']?.trim();
  const kept = Object.entries(await (await configFile()).keyPlaces());
  return [
    ...(fromEnv ? [{ name: 'api-key', value: masked(fromEnv.slice(-4)), from: 'SKINSMITH_API_KEY' }] : []),
    ...kept.map(([place, last4]) => ({ name: 'api-key', value: masked(last4), from: `stored for ${place}` })),
  ];
}

export const configGet = {
  description: 'Print the current value of a setting.\n' + 'The exit status is 1 if it is not set.',
  examples: {
    'Print the default visibility of new skins': 'skinsmith config get visibility',
    'Print a setting as JSON': 'skinsmith config get visibility --json',
  },
  output: [{ json: { shape: 'value', about: 'the value of the setting' } }],
  declare: (command) => command.argument('<name>', 'name of the setting (see skinsmith help config set)'),
  run: runConfigGet,
} satisfies CommandModule;

async function runConfigGet(name: string, { io, flags, env, configFile }: CommandContext): Promise<number> {
  const setting = settingNamed(name);
  const sources = { flags: { 'base-url': flags.baseUrl }, env, file: await (await configFile()).settings() };
  const origin = originOf(setting, sources);
  if (!origin) return exitStatus('failed');
  const value = parseSetting(setting, origin);
  io.out.write(flags.json ? jsonLine(value) : `${clean(String(value))}\n`);
  return exitStatus('done');
}

export const configSet = {
  description:
    'Change a setting in the config file.\n' +
    'The value is checked first. Options and environment variables (SKINSMITH_VISIBILITY for visibility ' +
    'and so on) take precedence over the config file.',
  examples: {
    'Use a hosted service by default': 'skinsmith config set base-url https://api.mineskin.org',
    'Make skins unlisted by default': 'skinsmith config set visibility unlisted',
  },
  output: [],
  declare(command) {
    setTerms(command, { heading: 'Settings', rows: Object.entries(SETTING_MEANINGS) });
    command.argument('<name>', 'name of the setting').argument('<value>', 'new value');
  },
  run: runConfigSet,
} satisfies CommandModule;

async function runConfigSet(name: string, text: string, context: CommandContext): Promise<void> {
  const setting = settingNamed(name);
  const value = parseSetting(setting, { value: text, from: 'the command line' });
  await (await context.configFile()).set(setting, value);
  const variable = envNameOf(setting);
  if (context.env[variable])
    await context.messages.warn(`${variable} is set too, and takes precedence over the config file.`);
}

export const configUnset = {
  description: 'Remove a setting from the config file.',
  examples: {
    'Use the embedded service again': 'skinsmith config unset base-url',
    'Use the default visibility again': 'skinsmith config unset visibility',
  },
  output: [],
  declare: (command) => command.argument('<name>', 'name of the setting (see skinsmith help config set)'),
  run: runConfigUnset,
} satisfies CommandModule;

async function runConfigUnset(name: string, { configFile }: CommandContext): Promise<void> {
  await (await configFile()).unset(settingNamed(name));
}

export const configPath = {
  description: 'Print the path of the config file, whether it exists or not.',
  examples: {
    'Print the path of the config file': 'skinsmith config path',
    'Print its folder': 'dirname "$(skinsmith config path)"',
  },
  output: [{ json: { shape: 'value', about: 'the path, a string' } }],
  run: runConfigPath,
} satisfies CommandModule;

async function runConfigPath({ io, flags, configFile }: CommandContext): Promise<void> {
  const { path } = await configFile();
  io.out.write(flags.json ? jsonLine(path) : `${path}\n`);
}
