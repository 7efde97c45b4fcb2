import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { jsonDocument } from '../../text/json.ts';
import { KEY_LIST_OUTPUT, keyRows, seenKey } from './key-rows.ts';

export interface KeysListOptions {
  readonly user?: string;
}

export const keysList = {
  examples: [
    ['List your keys', 'skinsmith keys list'],
    ['List the keys of a user', 'skinsmith keys list --user alice'],
  ],
  output: [KEY_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runKeysList): void {
    command
      .description(
        'List API keys of a skinsmith service.\n' + 'Shows only the last four characters of each key.',
      )
      .option('--user <user>', 'list the keys of this user (operators only; default: yourself)')
      .action(async (typed: KeysListOptions) => await runner(async (context) => await run(typed, context)));
  },
} satisfies CommandModule;

export async function runKeysList({ user }: KeysListOptions, context: CommandContext): Promise<number> {
  const keys = await withAccount(context, (account) => account.keys(user, { signal: context.signal }));
  await context.seenNames.add('keys', keys.map(seenKey));
  if (context.flags.json) context.io.out.write(jsonDocument(keys));
  else if (keys.length === 0) await context.messages.note('No keys.');
  else context.io.out.write(keyRows(keys, context));
  return exitStatus('done');
}
