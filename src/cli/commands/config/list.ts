import type { Command } from 'commander';
import { originOf, SETTING_NAMES, withoutPassword } from '../../config/settings.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { alignedRows, tabRows } from '../../terminal/text.ts';
import { jsonDocument } from '../../text/json.ts';

export const examples: Examples = [
  ['List settings', 'skinsmith config list'],
  ['Print them as JSON', 'skinsmith config list --json'],
];

export function register(command: Command, runner: Runner, run = runConfigList): void {
  command
    .description(
      'List settings and where each comes from.\n' + 'Of API keys, shows only the last four characters.',
    )
    .action(async () => await runner(run));
}

interface SettingView {
  readonly name: string;
  readonly value: unknown;
  readonly from: string;
}

export async function runConfigList(context: CommandContext): Promise<number> {
  const { io, flags, env, configFile } = context;
  const file = await configFile.settings();
  const sources = { flags: { 'base-url': flags.baseUrl }, env, file };
  const set: SettingView[] = SETTING_NAMES.flatMap((name) => {
    const origin = originOf(name, sources);
    return origin ? [{ name, ...origin }] : [];
  });
  const views = [...set, ...(await keyViews(context))];
  if (flags.json) io.out.write(jsonDocument(views));
  else if (views.length === 0) await context.messages.note('Nothing is set; the embedded service answers.');
  else {
    const rows = views.map(({ name, value, from }) => [name, withoutPassword(String(value)), from]);
    io.out.write(
      io.out.isTTY ? alignedRows(['SETTING', 'VALUE', 'FROM'], rows, io.out.columns) : tabRows(rows),
    );
  }
  return exitStatus('done');
}

async function keyViews({ env, configFile }: CommandContext): Promise<SettingView[]> {
  const fromEnv = env['SKINSMITH_API_KEY']?.trim();
  const kept = Object.entries(await configFile.keyPlaces());
  return [
    ...(fromEnv ? [{ name: 'api-key', value: masked(fromEnv.slice(-4)), from: 'SKINSMITH_API_KEY' }] : []),
    ...kept.map(([place, last4]) => ({ name: 'api-key', value: masked(last4), from: `kept for ${place}` })),
  ];
}

export function masked(last4: string): string {
  return `…${last4}`;
}
