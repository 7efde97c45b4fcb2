import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { readBounded } from '../../terminal/read-input.ts';
import { CAPE_OUTPUT, printCape, seenCape } from './cape-rows.ts';

export interface CapesCreateOptions {
  readonly alias?: string;
  readonly hidden?: boolean;
}

export const capesCreate = {
  examples: [
    ['Add a cape that is named after its file', 'skinsmith capes create team.png'],
    ['Add a cape that nobody can use yet', 'skinsmith capes create winter.png --alias winter-2026 --hidden'],
  ],
  output: [CAPE_OUTPUT],
  register(command: Command, runner: Runner, run = runCapesCreate): void {
    command
      .description('Add a cape to a skinsmith service, for use with generate --cape (operators only).')
      .argument('<file>', 'PNG file of 64×32 pixels')
      .option('--alias <alias>', 'name of the cape (default: the file name)')
      .option('--hidden', 'do not let anybody use the cape yet')
      .action(
        async (file: string, typed: CapesCreateOptions) =>
          await runner(async (context) => await run(file, typed, context)),
      );
  },
} satisfies CommandModule;

export async function runCapesCreate(
  file: string,
  typed: CapesCreateOptions,
  context: CommandContext,
): Promise<number> {
  const png = await readBounded(file);
  const { alias = basename(file, extname(file)), hidden = false } = typed;
  const wish = { alias, support: hidden ? 'none' : 'public' } as const;
  const cape = await withAccount(context, (account) =>
    account.addCape(png, wish, { signal: context.signal }),
  );
  await context.seenNames.add('capes', [seenCape(cape)]);
  printCape(cape, context);
  return exitStatus('done');
}
