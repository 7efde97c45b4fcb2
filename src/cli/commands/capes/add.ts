import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { readBounded } from '../../read-input.ts';
import type { Runner } from '../../runner.ts';
import { printCape } from './cape-rows.ts';

export interface CapesAddOptions {
  readonly alias?: string;
  readonly hidden?: boolean;
}

export function register(command: Command, runner: Runner, run = runCapesAdd): void {
  command
    .description('Puts a cape into a skinsmith service, for generate --cape (operator only).')
    .argument('<file>', 'PNG of 64×32 pixels')
    .option('--alias <alias>', 'what to call it (default: the file name)')
    .option('--hidden', 'nobody may use it yet')
    .action(
      async (file: string, typed: CapesAddOptions) =>
        await runner(async (deps) => await run(file, typed, deps)),
    );
}

export async function runCapesAdd(file: string, typed: CapesAddOptions, deps: Deps): Promise<number> {
  const png = await readBounded(file);
  const { alias = basename(file, extname(file)), hidden = false } = typed;
  const wish = { alias, support: hidden ? 'none' : 'public' } as const;
  printCape(await withAccount(deps, (account) => account.addCape(png, wish, { signal: deps.signal })), deps);
  return exitStatus('done');
}
