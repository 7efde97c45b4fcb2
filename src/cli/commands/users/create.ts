import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import type { Runner } from '../../runner.ts';
import { printUser } from './user-rows.ts';

export interface UsersCreateOptions {
  readonly name: string;
  readonly plan?: string;
}

export function register(command: Command, runner: Runner, run = runUsersCreate): void {
  command
    .description('Makes a user of a skinsmith service (operator only).')
    .argument('<name>', 'what to call the user')
    .option('--plan <plan>', 'what the user may have (default: free)')
    .action(
      async (name: string, typed: { plan?: string }) =>
        await runner(async (deps) => await run({ ...typed, name }, deps)),
    );
}

export async function runUsersCreate(options: UsersCreateOptions, deps: Deps): Promise<number> {
  const user = await withAccount(deps, (account) => account.createUser(options, { signal: deps.signal }));
  printUser(user, deps);
  await deps.talk.note(`Make a key for the user: skinsmith keys create --user ${user.name}`);
  return exitStatus('done');
}
