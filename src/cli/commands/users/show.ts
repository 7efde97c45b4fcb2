import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';
import { printUser } from './user-rows.ts';

export function register(command: Command, runner: Runner, run = runUsersShow): void {
  command
    .description('Prints a user of a skinsmith service (operator only).')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => await runner(async (deps) => await run(name, deps)));
}

export async function runUsersShow(name: string, deps: Deps): Promise<number> {
  printUser(await withAccount(deps, (account) => account.user(name, { signal: deps.signal })), deps);
  return exitStatus('done');
}
