import type { Command } from 'commander';
import type { Cape } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { Deps } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { connectTelling } from '../../outcomes.ts';
import { jsonDocument } from '../../text/json.ts';
import { capeRows, seenCape } from './cape-rows.ts';

export interface CapesListOptions {
  readonly all?: boolean;
}

export const examples: Examples = [
  ['List capes', 'skinsmith capes list'],
  ['List hidden capes as well', 'skinsmith capes list --all'],
];

export function register(command: Command, runner: Runner, run = runCapesList): void {
  command
    .description('List the capes that generate --cape can use.')
    .option('--all', 'list hidden capes of a skinsmith service as well (operators only)')
    .action(async (typed: CapesListOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runCapesList({ all = false }: CapesListOptions, deps: Deps): Promise<number> {
  const { signal } = deps;
  const capes = all
    ? await withAccount(deps, (account) => account.capes({ signal }))
    : await readPublic(deps);
  await deps.seenNames.add('capes', capes.map(seenCape));
  if (deps.flags.json) deps.io.out.write(jsonDocument(capes));
  else if (capes.length === 0) await deps.talk.note('No capes.');
  else deps.io.out.write(capeRows(capes, deps));
  return exitStatus('done');
}

async function readPublic(deps: Deps): Promise<readonly Cape[]> {
  const { client } = await connectTelling(await deps.settings(), deps);
  return await client.capes({ signal: deps.signal });
}
