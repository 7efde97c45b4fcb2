import type { Command } from 'commander';
import type { AccountClient, User } from '../../../index.ts';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { jsonDocument } from '../../output/json.ts';
import type { Runner } from '../../runner.ts';
import { parseLimit } from '../jobs.ts';
import { userRows } from './user-rows.ts';

const DEFAULT_LIMIT = 100;
const PAGE_SIZE = 128;

export interface UsersListOptions {
  readonly limit?: number;
}

export function register(command: Command, runner: Runner, run = runUsersList): void {
  command
    .description('Lists the users of a skinsmith service by name (operator only).')
    .option('--limit <number>', `how many at the most (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: UsersListOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runUsersList({ limit = DEFAULT_LIMIT }: UsersListOptions, deps: Deps): Promise<number> {
  const { users, isCut } = await withAccount(deps, (account) => readPages(account, limit, deps.signal));
  deps.io.out.write(deps.flags.json ? jsonDocument(users) : userRows(users, deps));
  if (isCut) await deps.talk.note(`There are more than ${limit}: see them with --limit.`);
  return exitStatus('done');
}

async function readPages(
  account: AccountClient,
  limit: number,
  signal: AbortSignal,
): Promise<{ users: User[]; isCut: boolean }> {
  const users: User[] = [];
  let after: string | undefined;
  do {
    const page = await account.users({ after, size: PAGE_SIZE }, { signal });
    users.push(...page.users);
    after = page.users.length === 0 ? undefined : page.next;
  } while (after !== undefined && users.length < limit);
  return { users: users.slice(0, limit), isCut: after !== undefined || users.length > limit };
}
