import type { Command } from 'commander';
import type { UserChange } from '../../../index.ts';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';
import { printUser } from './user-rows.ts';

export function register(command: Command, runner: Runner, run = changeUser): void {
  command
    .description('Puts a user of a skinsmith service on another plan (operator only).')
    .argument('<name>', 'name of the user')
    .requiredOption('--plan <plan>', 'what the user may have from now on')
    .action(
      async (name: string, { plan }: { plan: string }) =>
        await runner(async (deps) => await run(name, { plan }, deps)),
    );
}

/** Changes a user and prints how it is now. */
export async function changeUser(name: string, change: UserChange, deps: Deps): Promise<number> {
  const user = await withAccount(deps, (account) => account.setUser(name, change, { signal: deps.signal }));
  printUser(user, deps);
  return exitStatus('done');
}
