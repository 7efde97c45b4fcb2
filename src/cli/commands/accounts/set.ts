import type { Command } from 'commander';
import type { GameAccountChange } from '../../../index.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { usageError } from '../../outcomes.ts';
import type { Runner } from '../../runner.ts';
import { printAccount } from './account-rows.ts';
import { withGameAccount } from './find-account.ts';

export function register(command: Command, runner: Runner, run = changeAccount): void {
  command
    .description('Changes settings of a linked game account and prints how it is then (operator only).')
    .argument('<account>', 'name or UUID of the account')
    .option(
      '--restore',
      'set its own skin again when it has been idle for ten minutes, and when the service stops',
    )
    .option('--no-restore', 'do not')
    .option('--capes', 'its owner agrees to its cape in results')
    .option('--no-capes', 'hide its cape before a skin is made')
    .action(
      async (named: string, typed: GameAccountChange) =>
        await runner(async (deps) => await run(named, typed, deps)),
    );
}

/** Changes an account and prints how it is now. */
export async function changeAccount(named: string, change: GameAccountChange, deps: Deps): Promise<number> {
  if (Object.keys(change).length === 0) {
    throw usageError('nothing_to_change', 'Say what to change.', 'See: skinsmith accounts set --help');
  }
  const account = await withGameAccount(named, deps, (games, { uuid }) =>
    games.change(uuid, change, { signal: deps.signal }),
  );
  printAccount(account, deps);
  return exitStatus('done');
}
