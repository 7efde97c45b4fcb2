import { bareUuid } from '../../../base/uuid.ts';
import type { AccountClient, GameAccount } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandContext } from '../../context/context.ts';
import { CliError } from '../../errors/exit.ts';
import { forService, namingOf } from '../../errors/service-hints.ts';

type Games = AccountClient['games'];

/** Calls `work` with the account of this name or UUID. @throws CliError `no_such_account` */
export async function withGameAccount<T>(
  named: string,
  context: CommandContext,
  work: (games: Games, account: GameAccount) => Promise<T>,
): Promise<T> {
  return await withAccount(context, async ({ games }) => {
    const wanted = named.toLowerCase();
    const accounts = await games.list({ signal: context.signal });
    const found =
      accounts.find(({ uuid }) => uuid === bareUuid(named)) ??
      accounts.find(({ name }) => name.toLowerCase() === wanted);
    if (found) return await work(games, found);
    throw new CliError('no_such_account', `No linked account ${named}.`, {
      hint: `List the accounts: ${forService('skinsmith accounts list', namingOf(context))}`,
    });
  });
}
