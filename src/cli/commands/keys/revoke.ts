import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';

export function register(command: Command, runner: Runner, run = runKeysRevoke): void {
  command
    .description('Revokes API keys of a skinsmith service: from now on they are refused.')
    .argument('<id...>', 'ids of keys, as keys list prints them')
    .action(async (ids: string[]) => await runner(async (deps) => await run(ids, deps)));
}

export async function runKeysRevoke(ids: readonly string[], deps: Deps): Promise<number> {
  await withAccount(deps, async (account) => {
    for (const id of ids) {
      await account.revokeKey(id, { signal: deps.signal });
      deps.talk.say(`Key ${id} is revoked.`);
    }
  });
  return exitStatus('done');
}
