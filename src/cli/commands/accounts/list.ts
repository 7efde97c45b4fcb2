import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { jsonDocument } from '../../text/json.ts';
import { ACCOUNT_LIST_OUTPUT, accountRows, noAccounts } from './account-rows.ts';

export const accountsList = {
  examples: [
    ['List game accounts', 'skinsmith accounts list'],
    ['Print them as JSON', 'skinsmith accounts list --json'],
  ],
  output: [ACCOUNT_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runAccountsList): void {
    command
      .description(
        'List the game accounts that you linked to a skinsmith service, by name.\n' +
          'Operators see the accounts of all users.',
      )
      .action(async () => await runner(async (context) => await run(context)));
  },
} satisfies CommandModule;

export async function runAccountsList(context: CommandContext): Promise<number> {
  const accounts = await withAccount(context, ({ games }) => games.list({ signal: context.signal }));
  await context.seenNames.add(
    'accounts',
    accounts.map(({ name, uuid }) => ({ value: name, about: uuid })),
  );
  if (context.flags.json) context.io.out.write(jsonDocument(accounts));
  else if (accounts.length === 0) await context.messages.note(noAccounts(context));
  else context.io.out.write(accountRows(accounts, context));
  return exitStatus('done');
}
