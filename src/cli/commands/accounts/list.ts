import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { jsonDocument } from '../../output/json.ts';
import type { Runner } from '../../runner.ts';
import { accountRows } from './account-rows.ts';

export function register(command: Command, runner: Runner, run = runAccountsList): void {
  command
    .description('Lists the game accounts of a skinsmith service by name (operator only).')
    .action(async () => await runner(async (deps) => await run(deps)));
}

export async function runAccountsList(deps: Deps): Promise<number> {
  const accounts = await withAccount(deps, ({ games }) => games.list({ signal: deps.signal }));
  if (deps.flags.json) deps.io.out.write(jsonDocument(accounts));
  else if (accounts.length === 0) await deps.talk.note('No accounts. Link one: skinsmith accounts link');
  else deps.io.out.write(accountRows(accounts, deps));
  return exitStatus('done');
}
