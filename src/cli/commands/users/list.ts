import type { Command } from 'commander';
import type { AccountClient, User } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { parseLimit } from '../../options/option-values.ts';
import type { CommandOutput } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { seenUser, USER_LIST_OUTPUT, userRows, userView } from './user-rows.ts';

const DEFAULT_LIMIT = 100;
const PAGE_SIZE = 128;

export interface UsersListOptions {
  readonly limit?: number;
}

export const examples: Examples = [
  ['List users', 'skinsmith users list'],
  ['List up to 500 users as JSON', 'skinsmith users list --limit 500 --json'],
];

export const output: readonly CommandOutput[] = [USER_LIST_OUTPUT];

export function register(command: Command, runner: Runner, run = runUsersList): void {
  command
    .description('List the users of a skinsmith service by name (operators only).')
    .option('--limit <number>', `maximum number of users to list (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: UsersListOptions) => await runner(async (context) => await run(typed, context)));
}

export async function runUsersList(
  { limit = DEFAULT_LIMIT }: UsersListOptions,
  context: CommandContext,
): Promise<number> {
  const { users, isCut } = await withAccount(context, (account) => readPages(account, limit, context.signal));
  await context.seenNames.add('users', users.map(seenUser));
  context.io.out.write(context.flags.json ? jsonDocument(users.map(userView)) : userRows(users, context));
  if (isCut) await context.messages.note(`Only the first ${limit} are shown; for more, use --limit.`);
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
