import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import { capeIn } from '../../cape-named.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';

export function register(command: Command, runner: Runner, run = runCapesRemove): void {
  command
    .description(
      'Takes capes out of a skinsmith service (operator only). Skins that were made with them keep them.',
    )
    .argument('<cape...>', 'UUIDs or aliases of capes')
    .action(async (names: string[]) => await runner(async (deps) => await run(names, deps)));
}

export async function runCapesRemove(names: readonly string[], deps: Deps): Promise<number> {
  const { signal, talk } = deps;
  await withAccount(deps, async (account) => {
    const all = await account.capes({ signal });
    const capes = names.map((name) => capeIn(all, name)); // all are known before one goes
    for (const { uuid, alias } of capes) {
      await account.removeCape(uuid, { signal });
      talk.say(`Cape ${alias} is removed.`);
    }
  });
  return exitStatus('done');
}
