import type { Command } from 'commander';
import type { AccountClient, User } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { addLimitOptions, cutNote, limitOf, type TypedLimit } from '../../options/limit-options.ts';
import { jsonDocument } from '../../text/json.ts';
import { seenUser, USER_LIST_OUTPUT, userRows, userView } from './user-rows.ts';

const LISTING = { what: 'users', usual: 100 };
const PAGE_SIZE = 128;
export const usersList = {
  examples: [
    ['List users', 'skinsmith users list'],
    ['Print all users as JSON', 'skinsmith users list --all --json'],
  ],
  output: [USER_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runUsersList): void {
    addLimitOptions(command, LISTING)
      .description('List the users of a skinsmith service by name (operators only).')
      .action(async (typed: TypedLimit) => await runner(async (context) => await run(typed, context)));
  },
} satisfies CommandModule;

export async function runUsersList(typed: TypedLimit, context: CommandContext): Promise<number> {
  const { users, isCut } = await withAccount(context, (account) =>
    readPages(account, limitOf(typed, LISTING), context.signal),
  );
  await context.seenNames.add('users', users.map(seenUser));
  context.io.out.write(context.flags.json ? jsonDocument(users.map(userView)) : userRows(users, context));
  if (isCut) context.messages.say(cutNote(users.length, LISTING));
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
