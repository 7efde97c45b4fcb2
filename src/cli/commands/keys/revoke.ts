import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { connectTelling } from '../../outcomes.ts';
import type { Runner } from '../../runner.ts';

export function register(command: Command, runner: Runner, run = runKeysRevoke): void {
  command
    .description('Revokes API keys of a skinsmith service: from now on they are refused.')
    .argument('<id...>', 'ids of keys, as keys list prints them')
    .action(async (ids: string[]) => await runner(async (deps) => await run(ids, deps)));
}

export async function runKeysRevoke(ids: readonly string[], deps: Deps): Promise<number> {
  const { client } = await connectTelling(await deps.settings(), deps);
  for (const id of ids) {
    await client.revokeKey(id, { signal: deps.signal });
    deps.talk.say(`Key ${id} is revoked.`);
  }
  return exitStatus('done');
}
