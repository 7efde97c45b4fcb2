import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import { addKeyChangeOptions, keyChange, type TypedKeyChange } from '../../options/key-options.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { jsonDocument } from '../../text/json.ts';
import { KEY_OUTPUT, keyRows } from './key-rows.ts';

export const keysEdit = {
  examples: [
    ['Rename a key', 'skinsmith keys edit KEY_ID --name workstation'],
    ['Allow a key from any network again', 'skinsmith keys edit KEY_ID --any-ip'],
  ],
  output: [KEY_OUTPUT],
  register(command: Command, runner: Runner, run = runKeysEdit): void {
    addKeyChangeOptions(
      command
        .description(
          'Edit an API key of a skinsmith service.\n' +
            'Options that are not given leave the key unchanged. A new list of networks, origins or programs ' +
            'replaces the old one.',
        )
        .argument('<id>', 'ID of the key, as printed by keys list', nonEmpty),
    ).action(
      async (id: string, typed: TypedKeyChange) =>
        await runner(async (context) => await run(id, typed, context)),
    );
  },
} satisfies CommandModule;

export async function runKeysEdit(
  id: string,
  typed: TypedKeyChange,
  context: CommandContext,
): Promise<number> {
  const change = keyChange(typed);
  if (Object.keys(change).length === 0) {
    throw usageError('nothing_to_change', 'Nothing to change.', 'See: skinsmith keys edit --help');
  }
  const key = await withAccount(context, (account) =>
    account.changeKey(id, change, { signal: context.signal }),
  );
  context.io.out.write(context.flags.json ? jsonDocument(key) : keyRows([key], context));
  return exitStatus('done');
}
