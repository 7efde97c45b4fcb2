import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { nonEmptyWords } from '../../options/option-values.ts';
import type { Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';

interface RevokedView {
  readonly id: string;
  readonly revoked: true;
}

const FIELDS: Fields<RevokedView> = { id: 'id of the key', revoked: 'always true' };
export const keysRevoke = {
  examples: [
    ['Revoke a key', 'skinsmith keys revoke KEY_ID'],
    [
      'Revoke all keys of a user',
      'skinsmith keys list --user alice | cut -f1 | xargs -r skinsmith keys revoke',
    ],
  ],
  output: [{ json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runKeysRevoke): void {
    command
      .description('Revoke API keys of a skinsmith service, effective at once.')
      .argument('<id...>', 'IDs of keys, as printed by keys list', nonEmptyWords)
      .action(async (ids: string[]) => await runner(async (context) => await run(ids, context)));
  },
} satisfies CommandModule;

export async function runKeysRevoke(ids: readonly string[], context: CommandContext): Promise<number> {
  await withAccount(context, async (account) => {
    for (const id of ids) {
      await account.revokeKey(id, { signal: context.signal });
      await context.seenNames.remove('keys', id);
      context.messages.say(`Key ${id} is revoked.`);
    }
  });
  const views = ids.map((id): RevokedView => ({ id, revoked: true }));
  if (context.flags.json) context.io.out.write(jsonDocument(views));
  return exitStatus('done');
}
