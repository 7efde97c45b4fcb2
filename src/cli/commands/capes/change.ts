import { type Command, Option } from 'commander';
import type { CapeChange } from '../../../index.ts';
import { withAccount } from '../../account.ts';
import { capeIn } from '../../cape-named.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { usageError } from '../../outcomes.ts';
import type { Runner } from '../../runner.ts';
import { printCape } from './cape-rows.ts';

export interface CapesChangeOptions {
  readonly alias?: string;
  readonly hide?: boolean;
  readonly show?: boolean;
}

export function register(command: Command, runner: Runner, run = runCapesChange): void {
  command
    .description(
      'Changes a cape of a skinsmith service and prints how it is now (operator only). ' +
        'Skins that were made with a hidden cape keep it.',
    )
    .argument('<cape>', 'UUID or alias of the cape')
    .option('--alias <alias>', 'what to call it')
    .option('--hide', 'nobody may use it any more')
    .addOption(new Option('--show', 'it may be used again').conflicts('hide'))
    .action(
      async (cape: string, typed: CapesChangeOptions) =>
        await runner(async (deps) => await run(cape, typed, deps)),
    );
}

export async function runCapesChange(name: string, typed: CapesChangeOptions, deps: Deps): Promise<number> {
  const { alias, hide, show } = typed;
  const support = hide ? 'none' : show ? 'public' : undefined;
  if (alias === undefined && support === undefined) {
    throw usageError('nothing_to_change', 'Say what to change.', 'See: skinsmith capes change --help');
  }
  const change: CapeChange = { ...(alias !== undefined && { alias }), ...(support && { support }) };
  const { signal } = deps;
  const cape = await withAccount(deps, async (account) => {
    const { uuid } = capeIn(await account.capes({ signal }), name);
    return await account.changeCape(uuid, change, { signal });
  });
  printCape(cape, deps);
  return exitStatus('done');
}
