import { type Command, Option } from 'commander';
import type { CapeChange } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import { capeIn } from '../../connection/find-cape.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import { CAPE_OUTPUT, printCape } from './cape-rows.ts';

export interface CapesEditOptions {
  readonly alias?: string;
  readonly hide?: boolean;
  readonly show?: boolean;
}

export const capesEdit = {
  examples: [
    ['Let everybody use a hidden cape', 'skinsmith capes edit winter-2026 --show'],
    ['Rename a cape', 'skinsmith capes edit team --alias team-red'],
  ],
  output: [CAPE_OUTPUT],
  register(command: Command, runner: Runner, run = runCapesEdit): void {
    command
      .description(
        'Rename, hide or show a cape of a skinsmith service (operators only).\n' +
          'Skins that were made with a hidden cape keep it.',
      )
      .argument('<cape>', 'UUID or alias of the cape')
      .option('--alias <alias>', 'new name of the cape')
      .option('--hide', 'stop letting anybody use the cape')
      .addOption(new Option('--show', 'let everybody use the cape again').conflicts('hide'))
      .action(
        async (cape: string, typed: CapesEditOptions) =>
          await runner(async (context) => await run(cape, typed, context)),
      );
  },
} satisfies CommandModule;

export async function runCapesEdit(
  name: string,
  typed: CapesEditOptions,
  context: CommandContext,
): Promise<number> {
  const { alias, hide, show } = typed;
  const support = hide ? 'none' : show ? 'public' : undefined;
  if (alias === undefined && support === undefined) {
    throw usageError('nothing_to_change', 'Nothing to change.', 'See: skinsmith capes edit --help');
  }
  const change: CapeChange = { ...(alias !== undefined && { alias }), ...(support && { support }) };
  const { signal } = context;
  const cape = await withAccount(context, async (account) => {
    const { uuid } = capeIn(await account.capes({ signal }), name, context);
    return await account.changeCape(uuid, change, { signal });
  });
  printCape(cape, context);
  return exitStatus('done');
}
