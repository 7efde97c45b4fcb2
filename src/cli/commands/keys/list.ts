import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { jsonDocument } from '../../output/json.ts';
import type { Runner } from '../../runner.ts';
import { keyRows } from './key-rows.ts';

export interface KeysListOptions {
  readonly user?: string;
}

export function register(command: Command, runner: Runner, run = runKeysList): void {
  command
    .description('Lists API keys of a skinsmith service, by their last four characters.')
    .option('--user <user>', 'whose keys (operator only; default: your own)')
    .action(async (typed: KeysListOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runKeysList({ user }: KeysListOptions, deps: Deps): Promise<number> {
  const keys = await withAccount(deps, (account) => account.keys(user, { signal: deps.signal }));
  if (deps.flags.json) deps.io.out.write(jsonDocument(keys));
  else if (keys.length === 0) await deps.talk.note('No keys.');
  else deps.io.out.write(keyRows(keys, deps));
  return exitStatus('done');
}
