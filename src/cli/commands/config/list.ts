import type { Command } from 'commander';
import {
  isSafeToShow,
  type Origin,
  originOf,
  SETTING_NAMES,
  type SettingName,
} from '../../config/settings.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { type Columns, columnRows, type Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { masked } from '../../text/masked.ts';
import { alignedRows } from '../../text/text.ts';

interface SettingView {
  readonly name: string;
  readonly value: unknown;
  readonly from: string;
}

const COLUMNS = {
  name: ({ name }) => name,
  value: ({ value }) => String(value),
  from: ({ from }) => from,
} satisfies Columns<SettingView>;

const FIELDS: Fields<SettingView> = {
  name: 'name of the setting',
  value: 'its value; of API keys, only the last four characters',
  from: 'where it comes from: an option, an environment variable or the config file',
};
export const configList = {
  examples: [
    ['List settings', 'skinsmith config list'],
    ['Print them as JSON', 'skinsmith config list --json'],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runConfigList): void {
    command
      .description(
        'List settings and where each comes from.\n' + 'Of API keys, shows only the last four characters.',
      )
      .action(async () => await runner(run));
  },
} satisfies CommandModule;

export async function runConfigList(context: CommandContext): Promise<number> {
  const { io, flags, env, configFile } = context;
  const file = await configFile.settings();
  const sources = { flags: { 'base-url': flags.baseUrl }, env, file };
  const set: SettingView[] = SETTING_NAMES.flatMap((name) => {
    const origin = originOf(name, sources);
    return origin ? [{ name, ...origin, value: shown(name, origin) }] : [];
  });
  const views = [...set, ...(await keyViews(context))];
  if (flags.json) io.out.write(jsonDocument(views));
  else if (views.length === 0) await context.messages.note('Nothing is set; the embedded service answers.');
  else if (io.out.isTTY) io.out.write(table(views, io.out.columns));
  else io.out.write(columnRows(COLUMNS, views));
  return exitStatus('done');
}

function shown(name: SettingName, { value }: Origin): unknown {
  return isSafeToShow(name, value) ? value : 'an address that is not accepted';
}

function table(views: readonly SettingView[], width: number): string {
  const rows = views.map((view) => Object.values(COLUMNS).map((cell) => cell(view)));
  return alignedRows(['SETTING', 'VALUE', 'FROM'], rows, width);
}

async function keyViews({ env, configFile }: CommandContext): Promise<SettingView[]> {
  const fromEnv = env['SKINSMITH_API_KEY']?.trim();
  const kept = Object.entries(await configFile.keyPlaces());
  return [
    ...(fromEnv ? [{ name: 'api-key', value: masked(fromEnv.slice(-4)), from: 'SKINSMITH_API_KEY' }] : []),
    ...kept.map(([place, last4]) => ({ name: 'api-key', value: masked(last4), from: `stored for ${place}` })),
  ];
}
