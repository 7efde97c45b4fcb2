import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { Deps } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { jsonDocument } from '../../text/json.ts';
import { keyRows, seenKey } from './key-rows.ts';

export interface KeysListOptions {
  readonly user?: string;
}

export const examples: Examples = [
  ['List your keys', 'skinsmith keys list'],
  ['List the keys of a user', 'skinsmith keys list --user alice'],
];

export function register(command: Command, runner: Runner, run = runKeysList): void {
  command
    .description(
      'List API keys of a skinsmith service.\n' + 'Shows only the last four characters of each key.',
    )
    .option('--user <user>', 'list the keys of this user (operators only; default: yourself)')
    .action(async (typed: KeysListOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runKeysList({ user }: KeysListOptions, deps: Deps): Promise<number> {
  const keys = await withAccount(deps, (account) => account.keys(user, { signal: deps.signal }));
  await deps.seenNames.add('keys', keys.map(seenKey));
  if (deps.flags.json) deps.io.out.write(jsonDocument(keys));
  else if (keys.length === 0) await deps.talk.note('No keys.');
  else deps.io.out.write(keyRows(keys, deps));
  return exitStatus('done');
}
