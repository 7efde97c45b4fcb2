import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { Deps } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { jsonDocument } from '../../text/json.ts';
import { accountRows } from './account-rows.ts';

export const examples: Examples = [
  ['List game accounts', 'skinsmith accounts list'],
  ['Print them as JSON', 'skinsmith accounts list --json'],
];

export function register(command: Command, runner: Runner, run = runAccountsList): void {
  command
    .description(
      'List the game accounts that you linked to a skinsmith service, by name.\n' +
        'Operators see the accounts of all users.',
    )
    .action(async () => await runner(async (deps) => await run(deps)));
}

export async function runAccountsList(deps: Deps): Promise<number> {
  const accounts = await withAccount(deps, ({ games }) => games.list({ signal: deps.signal }));
  await deps.seenNames.add(
    'accounts',
    accounts.map(({ name, uuid }) => ({ value: name, about: uuid })),
  );
  if (deps.flags.json) deps.io.out.write(jsonDocument(accounts));
  else if (accounts.length === 0) await deps.talk.note('No accounts. Link one: skinsmith accounts link');
  else deps.io.out.write(accountRows(accounts, deps));
  return exitStatus('done');
}
