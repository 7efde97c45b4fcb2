import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { Deps } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { jsonDocument } from '../../text/json.ts';

export const examples: Examples = [
  ['Revoke a key', 'skinsmith keys revoke KEY_ID'],
  ['Revoke all keys of a user', 'skinsmith keys list --user alice | cut -f1 | xargs skinsmith keys revoke'],
];

export function register(command: Command, runner: Runner, run = runKeysRevoke): void {
  command
    .description('Revoke API keys of a skinsmith service, effective at once.')
    .argument('<id...>', 'IDs of keys, as printed by keys list')
    .action(async (ids: string[]) => await runner(async (deps) => await run(ids, deps)));
}

export async function runKeysRevoke(ids: readonly string[], deps: Deps): Promise<number> {
  await withAccount(deps, async (account) => {
    for (const id of ids) {
      await account.revokeKey(id, { signal: deps.signal });
      await deps.seenNames.remove('keys', id);
      deps.talk.say(`Key ${id} is revoked.`);
    }
  });
  if (deps.flags.json) deps.io.out.write(jsonDocument(ids.map((id) => ({ id, revoked: true }))));
  return exitStatus('done');
}
