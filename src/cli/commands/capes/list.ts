import type { Command } from 'commander';
import type { Cape } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { jsonDocument } from '../../text/json.ts';
import { CAPE_LIST_OUTPUT, capeRows, seenCape } from './cape-rows.ts';

export interface CapesListOptions {
  readonly all?: boolean;
}

export const capesList = {
  examples: [
    ['List capes', 'skinsmith capes list'],
    ['List hidden capes as well', 'skinsmith capes list --all'],
  ],
  output: [CAPE_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runCapesList): void {
    command
      .description('List the capes that generate --cape can use.')
      .option('--all', 'list hidden capes of a skinsmith service as well (operators only)')
      .action(async (typed: CapesListOptions) => await runner(async (context) => await run(typed, context)));
  },
} satisfies CommandModule;

export async function runCapesList(
  { all = false }: CapesListOptions,
  context: CommandContext,
): Promise<number> {
  const { signal } = context;
  const capes = all
    ? await withAccount(context, (account) => account.capes({ signal }))
    : await readPublic(context);
  await context.seenNames.add('capes', capes.map(seenCape));
  if (context.flags.json) context.io.out.write(jsonDocument(capes));
  else if (capes.length === 0) await context.messages.note('No capes.');
  else context.io.out.write(capeRows(capes, context));
  return exitStatus('done');
}

async function readPublic(context: CommandContext): Promise<readonly Cape[]> {
  const { client } = await connectWithProgress(await context.settings(), context);
  return await client.capes({ signal: context.signal });
}
